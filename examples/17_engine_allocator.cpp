// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A pool behind two plain C functions, as PyTorch and other engines load an allocator. main() calls
// them as an engine would: two streams, memory that passes between them, nothing asked of the
// driver once everything is warm.
#include <r9v/memory_tools.hpp>
#include <r9v/stream.hpp>

#include <cstdio>
#include <vector>

// snippet: plug
// The process's one plug; never destroyed, since engines free memory until the very end.
r9v::allocator_plug& plug() {
    static auto& the_plug = *new r9v::allocator_plug;
    return the_plug;
}

extern "C" void* engine_alloc(ssize_t bytes, int device, r9v::platform::stream_handle stream) {
    return plug().allocate(static_cast<std::size_t>(bytes), device, stream);
}
extern "C" void engine_free(void* pointer, ssize_t bytes, int device,
                            r9v::platform::stream_handle stream) {
    plug().free(pointer, static_cast<std::size_t>(bytes), device, stream);
}
// end snippet

int main() {
    const r9v::stream first;
    const r9v::stream second;
    for (int request = 0; request < 1000; ++request) {
        const r9v::stream& s = request % 2 == 0 ? first : second;
        std::vector<void*> live;
        for (int layer = 0; layer < 8; ++layer)
            live.push_back(engine_alloc(1 << (10 + layer), 0, s.handle()));
        for (int layer = 0; layer < 8; ++layer)
            engine_free(live[static_cast<std::size_t>(layer)], 1 << (10 + layer), 0, s.handle());
    }
    const r9v::pool_statistics now = plug().pool(0).statistics();
    std::printf(
        "%zu allocations, %zu bytes live at most, %zu bytes reserved by %zu calls of the driver\n",
        now.all.total_blocks, now.all.peak_bytes, now.reserved_bytes, now.growths);
    return now.all.total_blocks == 8000 && now.all.current_bytes == 0 && now.growths <= 2 ? 0 : 1;
}
