// SPDX-License-Identifier: Apache-2.0
// The works whose bits are proven to be the same everywhere: more than 10^7 outputs, to standard output. A name says
// operation, convention or circumstances, recipe and type: what a user asks for, not where the code stands.
#pragma once

#include <posenc/sinusoid.h>

#include "tests/proof/surroundings.h"

namespace posenc::proof {

// Those of bits.sha256, in its order.
void write_signals(const Surroundings& how);
void write_stages(const Surroundings& how);
void write_rotations(const Surroundings& how);
void write_wide_rotations(const Surroundings& how);
// Those of bits.txt alone.
void write_presets(const Surroundings& how);
void write_ladders(const Surroundings& how);
void write_places(const Surroundings& how);
void write_timesteps(const Surroundings& how);
void write_caches(const Surroundings& how);
void write_grids(const Surroundings& how);
void write_biases(const Surroundings& how);
void write_inputs(const Surroundings& how);

inline constexpr Geometric paper = {10000, 1, Spacing::over_width};

/// The table of some rows.
template <class T>
void put_table(const Surroundings& how, const std::string& name, const Rows& rows, const Positions& positions) {
  Threads threads(how.threads);
  RowMemory<T> out(how, positions.count_, rows.width());
  in_cuts(how, positions.count_, [&](std::int64_t first, std::int64_t count) {
    rows.write(part(positions, first, count), out.view(first, count), threads.executor(), how.reading);
  });
  out.put(name);
}

}  // namespace posenc::proof
