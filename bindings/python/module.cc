// SPDX-License-Identifier: Apache-2.0
// The module posenc._core: kernels for posenc's Python code, which has the public names and their documentation.
#include <posenc/version.h>

#include "bindings/python/arrays.h"
#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/torch_tensors.h"

#define POSENC_TEXT_OF(x) #x
#define POSENC_TEXT(x) POSENC_TEXT_OF(x)

namespace posenc::python {

NB_MODULE(_core, module) {
  // What is kept for later calls lives until the process ends; tests count references themselves.
  nb::set_leak_warnings(false);
  module.attr("__version__") =
      POSENC_TEXT(POSENC_VERSION_MAJOR) "." POSENC_TEXT(POSENC_VERSION_MINOR) "." POSENC_TEXT(POSENC_VERSION_PATCH);
  bind_errors();
  bind_conventions(module);
  bind_tables(module);
  bind_rotary(module);
  bind_relative(module);
  bind_phase_plan(module);
  bind_stored(module);
  bind_stage(module);
  bind_numbering(module);
  bind_inspect(module);
  bind_referee(module);
  bind_conformance(module);
  bind_orders(module);
  module.def("set_threads", [](nb::handle count) { set_threads(integer("set_threads", "threads", count)); });
  module.def("threads", &threads);
  module.def("are_plain", [](nb::tuple tensors) {
    for (const nb::handle tensor : tensors) {
      if (!is_plain(tensor) || records_gradient(tensor)) return false;
    }
    return true;
  });
}

}  // namespace posenc::python
