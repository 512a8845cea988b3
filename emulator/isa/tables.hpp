// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The instruction tables, one function per subject.
#pragma once

#include "instruction.hpp"

namespace r9v_emulator {

instruction_table control_table();
instruction_table wait_table();
instruction_table message_table();
instruction_table scalar_integer_table();
instruction_table scalar_compare_table();
instruction_table scalar_float_table();
instruction_table scalar_mask_table();
instruction_table scalar_memory_table();
instruction_table vector_integer_table();
instruction_table vector_bits_table();
instruction_table vector_short_table();
instruction_table vector_float_table();
instruction_table vector_half_table();
instruction_table vector_double_table();
instruction_table vector_convert_table();
instruction_table vector_transcendental_table();
instruction_table vector_packed_table();
instruction_table vector_dot_table();
instruction_table vector_lane_table();
instruction_table compare_table();
instruction_table matrix_table();
instruction_table sparse_matrix_table();
instruction_table vector_media_table();
instruction_table scalar_wide_table();
instruction_table lds_exchange_table();
instruction_table global_table();
instruction_table global_atomic_table();
instruction_table scratch_table();
instruction_table buffer_table();
instruction_table lds_table();
instruction_table lds_atomic_table();

// What rdna3 has apart from rdna4.
instruction_table rdna3_matrix_table();
instruction_table rdna3_wait_table();
instruction_table rdna3_table();
instruction_table rdna3_lds_table();
instruction_table rdna3_dot_table();
instruction_table rdna3_atomic_table();

} // namespace r9v_emulator
