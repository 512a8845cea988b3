// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "instantiated.hpp"

R9V_INSTANTIATE(r9v_test::shared_layer_type);
