// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "loader/metadata.hpp"

#include "loader/msgpack.hpp"
#include <array>
#include <string_view>
#include <utility>

namespace r9v_emulator::loader {
namespace {

using named_kind = std::pair<std::string_view, argument_kind>;

constexpr std::array kinds = {
    named_kind{"by_value", argument_kind::value},
    named_kind{"global_buffer", argument_kind::value},
    named_kind{"pipe", argument_kind::value},
    named_kind{"queue", argument_kind::value},
    named_kind{"dynamic_shared_pointer", argument_kind::dynamic_lds_pointer},
    named_kind{"hidden_block_count_x", argument_kind::block_count_x},
    named_kind{"hidden_block_count_y", argument_kind::block_count_y},
    named_kind{"hidden_block_count_z", argument_kind::block_count_z},
    named_kind{"hidden_group_size_x", argument_kind::group_size_x},
    named_kind{"hidden_group_size_y", argument_kind::group_size_y},
    named_kind{"hidden_group_size_z", argument_kind::group_size_z},
    named_kind{"hidden_remainder_x", argument_kind::remainder_x},
    named_kind{"hidden_remainder_y", argument_kind::remainder_y},
    named_kind{"hidden_remainder_z", argument_kind::remainder_z},
    named_kind{"hidden_global_offset_x", argument_kind::global_offset_x},
    named_kind{"hidden_global_offset_y", argument_kind::global_offset_y},
    named_kind{"hidden_global_offset_z", argument_kind::global_offset_z},
    named_kind{"hidden_grid_dims", argument_kind::grid_dims},
    named_kind{"hidden_dynamic_lds_size", argument_kind::dynamic_lds_size},
    named_kind{"hidden_private_base", argument_kind::private_base},
    named_kind{"hidden_shared_base", argument_kind::shared_base},
    named_kind{"hidden_hostcall_buffer", argument_kind::hostcall_buffer},
    named_kind{"hidden_heap_v1", argument_kind::heap},
    named_kind{"hidden_queue_ptr", argument_kind::queue_pointer},
    named_kind{"hidden_none", argument_kind::none},
    named_kind{"hidden_printf_buffer", argument_kind::none},
    named_kind{"hidden_default_queue", argument_kind::none},
    named_kind{"hidden_completion_action", argument_kind::none},
    named_kind{"hidden_multigrid_sync_arg", argument_kind::none},
};

argument_kind kind_of(std::string_view name, std::string_view kernel) {
    for (const auto& [text, kind] : kinds) {
        if (text == name) return kind;
    }
    throw load_error("kernel " + std::string(kernel) + " has an argument of unknown kind '" +
                     std::string(name) + "'");
}

std::uint32_t number(const packed_value& map, std::string_view name, std::int64_t otherwise = 0) {
    return static_cast<std::uint32_t>(map.integer_or(name, otherwise));
}

void read_arguments(const packed_value& source, kernel_metadata& kernel) {
    const auto* const list = source.find(".args");
    if (!list) return;
    for (const auto& item : list->items) {
        argument result;
        result.offset = number(item, ".offset");
        result.size = number(item, ".size");
        const auto kind_name = item.text_of(".value_kind");
        result.kind = kind_of(kind_name, kernel.name);
        if (std::uint64_t{result.offset} + result.size > kernel.kernarg_bytes) {
            throw load_error("kernel " + kernel.name + " has an argument outside its buffer");
        }
        (kind_name.starts_with("hidden_") ? kernel.hidden : kernel.arguments).push_back(result);
    }
}

kernel_metadata read_kernel(const packed_value& source) {
    kernel_metadata kernel;
    kernel.name = source.text_of(".name");
    kernel.descriptor = source.text_of(".symbol");
    if (kernel.name.empty() || kernel.descriptor.empty()) {
        throw load_error("code object metadata has a kernel without a name");
    }
    kernel.kernarg_bytes = number(source, ".kernarg_segment_size");
    kernel.lds_bytes = number(source, ".group_segment_fixed_size");
    kernel.scratch_bytes = number(source, ".private_segment_fixed_size");
    kernel.vgprs = number(source, ".vgpr_count");
    kernel.sgprs = number(source, ".sgpr_count");
    kernel.vgpr_spills = number(source, ".vgpr_spill_count");
    kernel.sgpr_spills = number(source, ".sgpr_spill_count");
    kernel.max_threads = number(source, ".max_flat_workgroup_size", 1024);
    kernel.wavefront_size = number(source, ".wavefront_size", 32);
    const auto* const dynamic_stack = source.find(".uses_dynamic_stack");
    kernel.uses_dynamic_stack = dynamic_stack && dynamic_stack->integer != 0;
    read_arguments(source, kernel);
    return kernel;
}

} // namespace

object_metadata parse_metadata(bytes note) {
    const auto root = unpack(note);
    object_metadata result;
    result.target = root.text_of("amdhsa.target");
    if (const auto* const kernels = root.find("amdhsa.kernels")) {
        for (const auto& kernel : kernels->items)
            result.kernels.push_back(read_kernel(kernel));
    }
    return result;
}

} // namespace r9v_emulator::loader
