// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The vocabulary of ops, and the `|` that strings them together. docs/ops.md has an example of
// each.
#pragma once

#include <r9v/ops/activation.hpp>
#include <r9v/ops/alibi.hpp>
#include <r9v/ops/arithmetic.hpp>
#include <r9v/ops/bind.hpp>
#include <r9v/ops/gate.hpp>
#include <r9v/ops/grammar.hpp>
#include <r9v/ops/map.hpp>
#include <r9v/ops/mask.hpp>
#include <r9v/ops/nonfinite.hpp>
#include <r9v/ops/optional.hpp>
#include <r9v/ops/pool.hpp>
#include <r9v/ops/quantize.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/ops/store.hpp>
#include <r9v/ops/tap.hpp>
#include <r9v/ops/upsample.hpp>
#include <r9v/tensor.hpp>
