// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Device memory by itself: hidden from the host, exact at both ends, with a shadow for each byte.
#include "bench.hpp"

namespace instructions {
namespace {

const std::string load_arguments =
    "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n";

TEST(device_memory, host_cannot_dereference) {
    memory device(u64{1} << 20);
    const u64 address = device.allocate(64);
    const std::vector<u32> values(16, 7);
    ASSERT_TRUE(device.write(address, values.data(), 64));
    EXPECT_DEATH(std::printf("%u", *reinterpret_cast<volatile u32*>(address)), "");
    const u64 managed = device.allocate(64, 256, "managed", true);
    *reinterpret_cast<u32*>(managed) = 9;
    u32 seen = 0;
    ASSERT_TRUE(device.read(&seen, managed, 4));
    EXPECT_EQ(seen, 9u);
}

TEST(device_memory, shadow) {
    memory device(u64{1} << 20);
    const u64 a = device.allocate(100), b = device.allocate(100);
    EXPECT_GE(b - a, 356u);
    EXPECT_TRUE(device.accessible(a, 100));
    EXPECT_FALSE(device.accessible(a, 101));
    EXPECT_FALSE(device.accessible(a + 100, 1));
    EXPECT_EQ(device.first_unwritten(a, 100), std::optional<u64>(0));
    ASSERT_TRUE(device.fill(a, 0xab, 1, 60));
    EXPECT_EQ(device.first_unwritten(a, 100), std::optional<u64>(60));
    ASSERT_TRUE(device.copy(b + 10, a, 90));
    EXPECT_EQ(device.first_unwritten(b + 10, 90), std::optional<u64>(60));
    EXPECT_FALSE(device.copy(b + 11, a, 90));
    EXPECT_EQ(device.used(), 200u);
    EXPECT_TRUE(device.release(a));
    EXPECT_FALSE(device.release(a));
    EXPECT_FALSE(device.find(a));
    EXPECT_FALSE(device.nearest(a)->live);
    EXPECT_EQ(device.allocate(u64{2} << 20), 0u);
    u32 host[4] = {1, 2, 3, 4};
    ASSERT_TRUE(device.register_host(host, sizeof host));
    EXPECT_FALSE(device.register_host(host + 1, 4));
    EXPECT_TRUE(device.accessible(reinterpret_cast<u64>(host), 16));
    EXPECT_FALSE(device.accessible(reinterpret_cast<u64>(host), 17));
    ASSERT_TRUE(device.unregister_host(host));
    EXPECT_FALSE(device.accessible(reinterpret_cast<u64>(host), 4));
}

/// Kernels reach registered host memory at its own address.
TEST(device_memory, registered_host_memory) {
    workbench bench;
    bench.add("k", load_arguments + "global_load_b32 v1, v10, s[0:1]\n s_wait_loadcnt 0x0\n "
                                    "v_add_nc_u32 v1, 1, v1\n global_store_b32 v10, v1, s[0:1]\n");
    ASSERT_TRUE(bench.build());
    std::vector<u32> values(32, 41);
    ASSERT_TRUE(bench.device().register_host(values.data(), 128));
    const auto result = bench.run("k", 1, 32, addresses({reinterpret_cast<u64>(values.data()), 0}));
    EXPECT_TRUE(result.faults.empty()) << describe(result.faults);
    EXPECT_EQ(values, std::vector<u32>(32, 42));
}

} // namespace
} // namespace instructions
