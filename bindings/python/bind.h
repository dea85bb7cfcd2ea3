// SPDX-License-Identifier: Apache-2.0
// The parts of the module _core. posenc/_core.pyi lists what each of them defines.
#pragma once

#include "bindings/python/errors.h"

namespace posenc::python {

void bind_conventions(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_rotary(nb::module_& module);
void bind_relative(nb::module_& module);
void bind_phase_plan(nb::module_& module);
void bind_stored(nb::module_& module);
void bind_stage(nb::module_& module);
void bind_numbering(nb::module_& module);
void bind_inspect(nb::module_& module);
void bind_referee(nb::module_& module);
void bind_conformance(nb::module_& module);
void bind_orders(nb::module_& module);

}  // namespace posenc::python
