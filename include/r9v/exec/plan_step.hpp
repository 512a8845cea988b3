// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The steps of a plan, behind one type: what can be changed piece by piece, and plain callables.
#pragma once

#include <r9v/exec/prepared.hpp>
#include <r9v/platform/graph.hpp>
#include <r9v/runtime/graph.hpp>
#include <r9v/runtime/kernel_call.hpp>
#include <r9v/runtime/memory_error.hpp>
#include <r9v/runtime/stage.hpp>

#if R9V_GPU

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// Names a step of a plan, for update(). `Work` is what the step holds.
template<class Work>
struct plan_step {
    int index = -1;
};

namespace exec {

/// Work that is sent piece by piece, always in the same order.
template<class Work>
concept sendable =
    std::copy_constructible<Work> && requires(const Work& work, runtime::work_sink& sink) {
        { work.send_to(sink) } -> std::same_as<status>;
    };

#if R9V_HAS_KERNELS
/// A prepared program with its scratch memory.
template<class Program>
struct planned {
    prepared<Program> program;
    workspace scratch;

    status send_to(runtime::work_sink& sink) const noexcept {
        return program.send_to(sink, scratch);
    }
};
#endif

/// Its address says what a step holds, with or without RTTI.
template<class Work>
inline constexpr char kind_of = 0;

/// One step. `nodes` are its own in the captured graph, in the order of its pieces.
class step {
public:
    explicit step(const void* work) noexcept : kind{work} {}
    step(const step&) = delete;
    step& operator=(const step&) = delete;
    virtual ~step() = default;

    /// Queues the work on `s`.
    virtual std::optional<runtime::stage_failure> enqueue(platform::stream_handle s) noexcept = 0;
    /// Queues it on the captured `s` and notes its nodes.
    virtual std::optional<runtime::stage_failure> capture(platform::stream_handle s) noexcept = 0;
    /// Puts it into the nodes of `exec`; false when they cannot take it.
    virtual bool change(platform::graph_exec_handle exec) noexcept = 0;

    const void* const kind; ///< address of kind_of its work; null for callables
    int graph = -1;         ///< which of the plan's graphs holds it
};

template<sendable Work>
class held_step final : public step {
public:
    explicit held_step(const Work& work) : step{&kind_of<Work>}, work_{work} {}

    void hold(const Work& work) { work_.emplace(work); } // no assignment: lambdas have none

    std::optional<runtime::stage_failure> enqueue(platform::stream_handle s) noexcept override {
        runtime::stream_sink to{s};
        return send_to(to);
    }
    std::optional<runtime::stage_failure> capture(platform::stream_handle s) noexcept override {
        nodes_.clear();
        runtime::capture_sink to{s, nodes_};
        return send_to(to);
    }
    bool change(platform::graph_exec_handle exec) noexcept override {
        runtime::update_sink to{exec, nodes_};
        return !send_to(to) && to.complete();
    }

private:
    std::optional<runtime::stage_failure> send_to(runtime::work_sink& to) const noexcept {
        if (status sent = work_->send_to(to); !sent)
            return runtime::stage_failure{sent.error(), nullptr};
        return std::nullopt;
    }

    std::optional<Work> work_;
    std::vector<platform::graph_node> nodes_;
};

/// A function of the stream. It is called once for the capture, or at every replay of an eager
/// plan.
template<class Function>
class callable_step final : public step {
public:
    template<class Given>
    explicit callable_step(Given&& f) : step{nullptr},
                                        f_{std::forward<Given>(f)} {}

    std::optional<runtime::stage_failure> enqueue(platform::stream_handle s) noexcept override {
        return runtime::run_stage("a step of the plan", [&] { return f_(s); });
    }
    std::optional<runtime::stage_failure> capture(platform::stream_handle s) noexcept override {
        return enqueue(s);
    }
    bool change(platform::graph_exec_handle) noexcept override { return false; }

private:
    Function f_;
};

/// Bytes that a step could not get from a pool since its stream is captured; 0 for other failures.
inline std::size_t shortage_of([[maybe_unused]] const runtime::stage_failure& failure) noexcept {
#if defined(__cpp_exceptions)
    if (!failure.thrown) return 0;
    try {
        std::rethrow_exception(failure.thrown);
    } catch (const memory_error& e) {
        return e.kind() == memory_fault::growth_during_capture ? e.figures().requested : 0;
    } catch (...) {
        return 0;
    }
#else
    return 0;
#endif
}

/// What a plan keeps alive, and a pool whose memory it takes during the capture.
class keeper {
public:
    keeper() = default;
    keeper(const keeper&) = delete;
    keeper& operator=(const keeper&) = delete;
    virtual ~keeper() = default;
    virtual status open(platform::stream_handle, std::size_t) { return {}; }
    virtual void close() noexcept {}
};

template<class T>
class kept final : public keeper {
public:
    template<class U>
    explicit kept(U&& owner) : owner_{std::forward<U>(owner)} {}

private:
    T owner_;
};

template<class Pool>
class pool_keeper final : public keeper {
public:
    explicit pool_keeper(Pool& pool) : pool_{pool} {}

    /// What `s` takes from here on is kept, and `bytes` of it are there: a captured stream gets no
    /// other memory.
    status open(platform::stream_handle s, std::size_t bytes) override {
        memory_.reset(); // of a capture that is gone
        kept_type memory;
        if (auto opened = pool_.try_keep(memory, s); !opened) return error{opened.error()};
        memory_.emplace(std::move(memory));
        void* block = nullptr;
        if (auto taken = pool_.try_allocate(block, bytes, s); !taken) return error{taken.error()};
        if (auto freed = pool_.try_deallocate(block, bytes); !freed) return error{freed.error()};
        return {};
    }
    void close() noexcept override {
        if (memory_) memory_->close();
    }

private:
    using kept_type = decltype(std::declval<Pool&>().keep(std::declval<platform::stream_handle>()));

    Pool& pool_;
    std::optional<kept_type> memory_;
};

} // namespace exec

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
