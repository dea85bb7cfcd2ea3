// SPDX-License-Identifier: Apache-2.0
// Problems as Python's exceptions.
#include "bindings/python/errors.h"

namespace posenc::python {
namespace {

std::string type_text(nb::handle value) {
  const nb::object name = nb::getattr(value.type(), "__name__"), dtype = nb::getattr(value, "dtype", nb::none());
  return dtype.is_none() ? said(name) : said(name) + " of " + said(dtype);
}

nb::tuple tuple_of(const std::vector<std::int64_t>& index) {
  nb::list items;
  for (const std::int64_t i : index) items.append(nb::int_(i));
  return nb::tuple(items);
}

void set_error(const Problem& problem) {
  if (problem.cause == Cause::system) return PyErr_SetString(PyExc_OSError, problem.message().c_str());
  try {
    const nb::object type = nb::module_::import_("posenc._errors").attr("PosencError");
    const nb::str operation(problem.operation.c_str(), problem.operation.size());
    const nb::str rule(problem.rule.c_str(), problem.rule.size());
    const nb::str value(problem.value.c_str(), problem.value.size());
    const nb::object error = type(operation, rule, value, tuple_of(problem.index));
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (nb::python_error& error) {
    error.restore();
  }
}

}  // namespace

std::string said(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Str(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

nb::object item_at(nb::handle sequence, std::size_t i) {
  nb::object item = nb::steal(PySequence_GetItem(sequence.ptr(), static_cast<Py_ssize_t>(i)));
  if (!item.is_valid()) throw nb::python_error();
  return item;
}

nb::object found_in(nb::handle mapping, const std::string& word) {
  nb::object found = nb::steal(PyObject_GetItem(mapping.ptr(), nb::str(word.c_str()).ptr()));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) throw nb::python_error();
  PyErr_Clear();
  return {};
}

void refuse(std::string_view operation, std::string_view rule, std::string value) {
  throw Error(Problem{std::string(operation), std::string(rule), std::move(value)});
}

void refuse_type(std::string_view operation, std::string_view rule, const std::string& value) {
  throw nb::type_error(Problem{std::string(operation), std::string(rule), value}.message().c_str());
}

void refuse_type(std::string_view operation, std::string_view rule, nb::handle value) {
  refuse_type(operation, rule, type_text(value));
}

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_error(error.problem());
    }
  });
}

}  // namespace posenc::python
