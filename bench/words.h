// SPDX-License-Identifier: Apache-2.0
// The rows of each word; WORD_bench.cc holds them.
#pragma once

#include "bench/row.h"

namespace posenc::bench {

std::vector<Row> sinusoid_rows(const Scope& scope);
std::vector<Row> growth_rows(const Scope& scope);
std::vector<Row> grid_rows(const Scope& scope);
std::vector<Row> coordinates_rows(const Scope& scope);
std::vector<Row> input_stage_rows(const Scope& scope);
std::vector<Row> rotary_rows(const Scope& scope);
std::vector<Row> timestep_rows(const Scope& scope);
std::vector<Row> bias_rows(const Scope& scope);
std::vector<Row> operation_rows(const Scope& scope);
std::vector<Row> attention_rows(const Scope& scope);
std::vector<Row> additive_rows(const Scope& scope);
std::vector<Row> recurrent_rows(const Scope& scope);
std::vector<Row> layers_rows(const Scope& scope);
std::vector<Row> transformer_rows(const Scope& scope);
std::vector<Row> backward_rows(const Scope& scope);
std::vector<Row> referee_rows(const Scope& scope);
std::vector<Row> tool_rows(const Scope& scope);
std::vector<Row> text_rows(const Scope& scope);
std::vector<Row> files_rows(const Scope& scope);
std::vector<Row> paths_rows(const Scope& scope);
std::vector<Row> pool_rows(const Scope& scope);

}  // namespace posenc::bench
