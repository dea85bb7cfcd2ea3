// SPDX-License-Identifier: Apache-2.0
// Positions of Python.
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

// An attribute by a name that is made once.
nb::object attribute(nb::handle object, nb::handle name) {
  nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!value.is_valid()) throw nb::python_error();
  return value;
}

Positions range_of(std::string_view operation, std::string_view name, nb::handle range) {
  const Py_ssize_t count = PyObject_Size(range.ptr());
  if (count < 0) {
    PyErr_Clear();
    refuse(operation, std::string(name) + " must be fewer than 2^63", said(range));
  }
  static const nb::handle start_name = PyUnicode_InternFromString("start"),
                          step_name = PyUnicode_InternFromString("step");
  const std::int64_t start = integer(operation, name, attribute(range, start_name));
  return Positions::range(start, count, integer(operation, name, attribute(range, step_name)));
}

constexpr std::string_view a_position =
    "an int, a float, a range, a list, or an array of int32, int64, float32 or float64 on the CPU";

[[noreturn]] void refuse_positions(std::string_view operation, std::string_view name, nb::handle value) {
  refuse_type(operation, std::string(name) + " must be " + std::string(a_position), value);
}

void take_list(std::string_view operation, std::string_view name, nb::handle array, PositionArgument& to) {
  to.held = input(operation, name, array, a_position);
  ConstView& view = to.held.view;
  const bool is_known = is_integer(view.dtype) || view.dtype == DType::f32 || view.dtype == DType::f64;
  if (!is_known) refuse_positions(operation, name, array);
  if (view.rank == 0) {  // a scalar of NumPy
    view.rank = 1;
    view.shape[0] = view.strides[0] = 1;
  }
  to.positions = Positions::list(view);
}

}  // namespace

PositionArgument positions_of(std::string_view operation, std::string_view name, nb::handle value) {
  PositionArgument made;
  if (PyLong_CheckExact(value.ptr())) {
    made.positions = Positions::at(integer(operation, name, value));
  } else if (Py_TYPE(value.ptr()) == &PyRange_Type) {
    made.positions = range_of(operation, name, value);
  } else if (PyFloat_CheckExact(value.ptr())) {
    made.positions = Positions::at(PyFloat_AsDouble(value.ptr()));
  } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    const nb::object array = array_of(operation, name, value);
    const bool is_empty = nb::cast<std::int64_t>(array.attr("size")) == 0;  // NumPy makes floats of nothing
    take_list(operation, name, is_empty ? array.attr("astype")("int64") : array, made);
  } else if (PyBool_Check(value.ptr()) || value.is_none() || PyUnicode_Check(value.ptr())) {
    refuse_positions(operation, name, value);
  } else {
    take_list(operation, name, value, made);
  }
  return made;
}

std::vector<std::int64_t> PositionArgument::shape() const {
  if (positions.kind_ == Positions::Kind::list && positions.list_.rank == 2) {
    return {positions.list_.size(0), positions.count_};
  }
  return {positions.count_};
}

std::vector<std::int64_t> PositionArgument::shape_with(std::int64_t width) const {
  std::vector<std::int64_t> sizes = shape();
  sizes.push_back(width);
  return sizes;
}

CoordinateArgument::CoordinateArgument(std::string_view operation, std::string_view name, nb::handle value,
                                       const std::vector<std::string>& axes) {
  const auto add = [&](nb::handle list, const std::string& axis) {
    held_.push_back(
        positions_of(operation, axes.size() == 1 ? std::string(name) : std::string(name) + " of " + axis, list));
  };
  const auto rule = [&] {
    std::string list_of = std::string(name) + " must be a list for each axis:";
    for (const std::string& axis : axes) list_of += " " + axis;
    return list_of;
  };
  if (PyDict_Check(value.ptr())) {
    for (const std::string& axis : axes) {
      const nb::object list = found_in(value, axis);
      if (!list.is_valid()) refuse(operation, rule(), "none of " + axis);
      add(list, axis);
    }
    if (nb::len(value) != axes.size()) refuse(operation, rule(), std::to_string(nb::len(value)) + " of them");
  } else if (axes.size() == 1) {
    add(value, axes[0]);
  } else {
    if (!PySequence_Check(value.ptr()) || Py_TYPE(value.ptr()) == &PyRange_Type || PyUnicode_Check(value.ptr())) {
      refuse_type(operation, rule(), value);
    }
    if (nb::len(value) != axes.size()) refuse(operation, rule(), std::to_string(nb::len(value)) + " of them");
    for (std::size_t axis = 0; axis < axes.size(); ++axis) add(item_at(value, axis), axes[axis]);
  }
  for (const PositionArgument& each : held_) lists_.push_back(each.positions);
}

std::vector<std::int64_t> CoordinateArgument::shape() const {
  std::vector<std::int64_t> sizes = {0};
  for (const PositionArgument& each : held_) {
    const std::vector<std::int64_t> own = each.shape();
    if (&each == &held_.front() || own.size() > sizes.size()) sizes = own;
  }
  return sizes;
}

std::vector<std::int64_t> CoordinateArgument::shape_with(std::int64_t width) const {
  std::vector<std::int64_t> sizes = shape();
  sizes.push_back(width);
  return sizes;
}

}  // namespace posenc::python
