// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as views.
#include "bindings/python/arrays.h"

#include <nanobind/stl/string.h>

#include <atomic>

#include "bindings/python/torch_tensors.h"

namespace posenc::python {
namespace {

// An object that is found once and lives as long as the interpreter. Not a static of a function: while one thread
// imports NumPy under its guard, another may have the GIL and wait for the guard.
class Kept {
 public:
  template <class Find>
  nb::handle of(const Find& find) {
    if (PyObject* found = object_.load(std::memory_order_acquire)) return found;
    nb::object found = find();
    PyObject* none = nullptr;
    if (object_.compare_exchange_strong(none, found.ptr())) return found.release();
    return none;  // another thread was first
  }

 private:
  std::atomic<PyObject*> object_ = nullptr;
};

nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }
nb::handle numpy_array_type() {
  static Kept type;
  return type.of([] { return numpy("ndarray"); });
}
// The name by which NumPy makes an array of as many bytes; bf16 goes as its bits.
nb::handle numpy_dtype(DType dtype) {
  static std::array<Kept, 7> dtypes;
  constexpr std::array names = {"", "float32", "float64", "float16", "uint16", "int32", "int64"};
  const auto number = static_cast<std::size_t>(dtype);
  return dtypes[number].of([&] { return numpy("dtype")(names[number]); });
}

std::optional<DType> of_dlpack(nb::dlpack::dtype dtype) {
  if (dtype.lanes != 1) return std::nullopt;
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Float:
      if (dtype.bits == 32) return DType::f32;
      if (dtype.bits == 64) return DType::f64;
      if (dtype.bits == 16) return DType::f16;
      return std::nullopt;
    case nb::dlpack::dtype_code::Bfloat:
      if (dtype.bits == 16) return DType::bf16;
      return std::nullopt;
    case nb::dlpack::dtype_code::Int:
      if (dtype.bits == 32) return DType::i32;
      if (dtype.bits == 64) return DType::i64;
      return std::nullopt;
    default: return std::nullopt;
  }
}

// The bits of an array of ml_dtypes.bfloat16, which has neither a buffer nor DLPack; else nothing.
nb::object bits_of_bfloat16(nb::handle array) {
  if (!nb::isinstance(array, numpy_array_type())) return {};
  if (said(array.attr("dtype")) != "bfloat16") return {};
  return array.attr("view")(numpy_dtype(DType::bf16));
}

template <class V, class Array>
void take(std::string_view operation, std::string_view name, const Array& array, DType dtype, V& view) {
  if (array.ndim() > max_rank) {
    refuse(operation, std::string(name) + " must have at most 8 axes", std::to_string(array.ndim()));
  }
  view.data = array.data();
  view.dtype = dtype;
  view.rank = static_cast<int>(array.ndim());
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    view.shape[axis] = static_cast<std::int64_t>(array.shape(axis));
    view.strides[axis] = array.stride(axis);
  }
}

bool comes_from(nb::handle array, std::string_view package);

// PyTorch hands out the memory of a tensor that is yet to be negated or conjugated, and says neither.
void refuse_pending(std::string_view operation, std::string_view name, nb::handle array) {
  if (!comes_from(array, "torch")) return;
  for (const std::string what : {"neg", "conj"}) {
    const nb::object is_pending = nb::getattr(array, ("is_" + what).c_str(), nb::none());
    if (is_pending.is_none() || !is_pending().is(Py_True)) continue;
    refuse(operation,
           std::string(name) + " must have no pending negation or conjugation, as tensor.resolve_" + what + "()",
           "a tensor with is_" + what + "()");
  }
}

// The capsule of an array with DLPack, whose errors nanobind would drop: of those that are no Exception, as what ends a
// program is none, there is nothing to say but themselves.
nb::object exported(nb::handle array, bool written) {
  if (array.type().is(numpy_array_type()) || !nb::hasattr(array.type(), "__dlpack__")) return {};
  const nb::object method = array.attr("__dlpack__"), version = nb::make_tuple(1, 1);
  for (const bool versioned : {written, !written}) {  // arrays that are only read may lack a version
    nb::dict options;
    if (versioned) options["max_version"] = version;
    nb::object capsule = nb::steal(PyObject_Call(method.ptr(), nb::tuple().ptr(), options.ptr()));
    if (capsule.is_valid()) return capsule;
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  return {};
}

// Whether `to` has the array now, by DLPack or its buffer.
template <class Array>
bool is_taken(nb::handle array, Array& to) {
  const nb::object capsule = exported(array, std::is_same_v<Array, nb::ndarray<>>);
  return nb::try_cast(capsule.is_valid() ? nb::handle(capsule) : array, to, false);
}

void expect_strided(std::string_view operation, std::string_view name, nb::handle tensor) {
  const std::string layout = said(tensor.attr("layout"));
  if (layout != "torch.strided")
    refuse(operation, std::string(name) + " must be strided, as tensor.to_dense()", layout);
}

[[noreturn]] void refuse_array(std::string_view operation, std::string_view name, std::string_view what,
                               nb::handle array) {
  const bool is_complex = said(nb::getattr(array, "dtype", nb::none())).find("complex") != std::string::npos;
  const std::string_view cure = is_complex ? ": of complex numbers np.stack([z.real, z.imag], -1)" : "";
  refuse_type(operation, std::string(name) + " must be " + std::string(what) + std::string(cure), array);
}

// Fills `to` from an array, or says why not.
template <class To>
void import_array(std::string_view operation, std::string_view name, nb::handle array, std::string_view what, To& to) {
  std::optional<DType> dtype;
  if (const std::optional<TorchTensor> tensor = torch_tensor(array)) {
    dtype = of_dlpack(tensor->dtype());
    if (!dtype) refuse_array(operation, name, what, array);
    to.array = nb::borrow(array);
    return take(operation, name, *tensor, *dtype, to.view);
  }
  if (is_torch(array) && !is_plain(array)) {
    refuse(operation, std::string(name) + " must be on the CPU", "an array on " + said(array.attr("device")));
  }
  refuse_pending(operation, name, array);
  if (is_taken(array, to.held)) {
    dtype = of_dlpack(to.held.dtype());
  } else if (const nb::object bits = bits_of_bfloat16(array); bits.is_valid() && is_taken(bits, to.held)) {
    dtype = DType::bf16;
  }
  if (!to.held.is_valid() || !dtype) {
    if (is_torch(array)) expect_strided(operation, name, array);
    refuse_array(operation, name, what, array);
  }
  if (to.held.device_type() != nb::device::cpu::value) {
    const nb::object device = nb::getattr(array, "device", nb::none());
    refuse(operation, std::string(name) + " must be on the CPU", "an array on " + said(device));
  }
  take(operation, name, to.held, *dtype, to.view);
}

[[noreturn]] void refuse_gradient(std::string_view operation, std::string_view name) {
  refuse(operation, std::string(name) + " must record no gradient, as tensor.detach() does",
         "a tensor with requires_grad");
}

bool is_true(nb::handle object, const char* attribute) {
  const nb::object value = nb::getattr(object, attribute, nb::none());
  return truth(value);
}

// Whether the type of an array, or one that it is derived from, is of the package.
bool comes_from(nb::handle array, std::string_view package) {
  if (array.type().is(numpy_array_type())) return false;
  for (const nb::handle type : nb::iter(array.type().attr("__mro__"))) {
    const nb::object module = nb::getattr(type, "__module__", nb::none());
    if (PyUnicode_Check(module.ptr()) && said(module).starts_with(package)) return true;
  }
  return false;
}

// What is computed here, autograd does not see: a result without a gradient would end training without a word.
void expect_no_gradient(std::string_view operation, nb::handle read) {
  if (!comes_from(read, "torch") || !is_true(read, "requires_grad")) return;
  if (!truth(nb::module_::import_("torch").attr("is_grad_enabled")())) return;
  refuse(operation,
         "a tensor that is read must record no gradient: posenc.torch has its gradient, tensor.detach() none",
         "a tensor with requires_grad");
}

// Of an array that was not taken to be written: whether it can be read.
bool is_read_only(nb::handle array) {
  Input read;
  if (is_taken(array, read.held)) return true;
  const nb::object bits = bits_of_bfloat16(array);
  return bits.is_valid() && !nb::cast<bool>(array.attr("flags").attr("writeable"));
}

nb::object empty(std::string_view operation, DType dtype, std::span<const std::int64_t> shape) {
  static Kept empty;
  const nb::handle make = empty.of([] { return numpy("empty"); });
  const nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  try {
    return make(sizes, numpy_dtype(dtype));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_MemoryError)) throw;
    refuse(operation, "the result must fit into memory", "an array of shape " + said(sizes));
  }
}

std::int64_t whole_number(std::string_view operation, std::string_view name, nb::handle value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) {
    refuse(operation, std::string(name) + " must fit in 64 bits", overflow > 0 ? "2^63 or more" : "less than -2^63");
  }
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

std::string dtype_name(std::string_view operation, nb::handle dtype) {
  if (PyUnicode_Check(dtype.ptr())) return text(operation, "dtype", dtype);
  for (const char* attribute : {"name", "__name__"}) {
    const nb::object name = nb::getattr(dtype, attribute, nb::none());
    if (PyUnicode_Check(name.ptr())) return text(operation, "dtype", name);
  }
  const std::string name = said(dtype);
  return name.starts_with("torch.") ? name.substr(6) : name;
}

DType dtype_in(std::string_view operation, nb::handle dtype,
               std::initializer_list<std::pair<std::string_view, DType>> names) {
  const std::string given = dtype_name(operation, dtype);
  std::string rule = "dtype must be";
  for (const auto& each : names) {
    const auto& [name, type] = each;
    if (name == given || to_string(type) == given) return type;
    rule += (&each == names.begin() ? " " : &each + 1 == names.end() ? " or " : ", ") + std::string(name);
  }
  refuse(operation, rule, given);
}

}  // namespace

// ---- arrays ------------------------------------------------------------------------------------------------------

Input input(std::string_view operation, std::string_view name, nb::handle array, std::string_view what) {
  Input read;
  import_array(operation, name, array, what, read);
  return read;
}

Input integers(std::string_view operation, std::string_view name, nb::handle array) {
  const auto as_whole = [&](const nb::object& made) {
    const bool is_bool = said(made.attr("dtype")) == "bool";
    return input(operation, name, is_bool ? made.attr("astype")(numpy_dtype(DType::i32)) : made);
  };
  if (PyList_Check(array.ptr()) || PyTuple_Check(array.ptr())) return as_whole(array_of(operation, name, array));
  const auto is_bool = [](nb::dlpack::dtype type) {
    return type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  };
  if (const std::optional<TorchTensor> tensor = torch_tensor(array)) {
    return is_bool(tensor->dtype()) ? as_whole(numpy("asarray")(array)) : input(operation, name, array);
  }
  Input read;
  if (is_taken(array, read.held) && read.held.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool)) {
    return as_whole(numpy("asarray")(array));
  }
  return input(operation, name, array);
}

Output output(std::string_view operation, std::string_view name, nb::handle array) {
  Output written;
  written.array = nb::borrow(array);
  if (array.type().is(numpy_array_type())) {
    if (!is_taken(array, written.held) && is_read_only(array)) {
      refuse(operation, std::string(name) + " must be writable", "a read-only array");
    }
  } else if (is_torch(array)) {
    if (records_gradient(array)) refuse_gradient(operation, name);
  } else {
    if (comes_from(array, "jax")) refuse(operation, std::string(name) + " must be writable", "an array of JAX");
    if (is_true(array, "requires_grad")) refuse_gradient(operation, name);
    if (!is_taken(array, written.held) && is_read_only(array)) {
      refuse(operation, std::string(name) + " must be writable", "a read-only buffer");
    }
  }
  import_array(operation, name, array, an_array_of_ours, written);
  require(check_output(operation, name, written.view));
  return written;
}

Output fresh(std::string_view operation, DType dtype, std::span<const std::int64_t> shape) {
  Output written;
  written.array = empty(operation, dtype, shape);
  nb::try_cast(written.array, written.held, false);
  take(operation, "out", written.held, dtype, written.view);
  if (dtype != DType::bf16) return written;
  try {
    const nb::object type = nb::module_::import_("ml_dtypes").attr("bfloat16");
    written.array = written.array.attr("view")(type);
  } catch (const nb::python_error&) {
    refuse(operation, "bfloat16 of NumPy needs the package ml_dtypes, or out= an array of PyTorch", "none");
  }
  return written;
}

Output output_or_fresh(std::string_view operation, nb::handle out, DType dtype, std::span<const std::int64_t> shape) {
  return out.is_none() ? fresh(operation, dtype, shape) : output(operation, "out", out);
}

Output output_or_like(std::string_view operation, nb::handle out, nb::handle like, const ConstView& view) {
  expect_no_gradient(operation, like);
  if (!out.is_none()) return output(operation, "out", out);
  if (is_plain(like)) {
    Output made = {.held = {}, .array = empty_like(like), .view = {}};
    take(operation, "out", of_fresh(made.array), view.dtype, made.view);
    return made;
  }
  if (comes_from(like, "torch")) {  // of a subclass
    return output(operation, "out", nb::module_::import_("torch").attr("empty_like")(like.attr("detach")()));
  }
  return fresh(operation, view.dtype, std::span(view.shape.data(), static_cast<std::size_t>(view.rank)));
}

std::optional<Problem> told_of(std::string_view like, nb::handle out, std::optional<Problem> problem) {
  if (!problem || !out.is_none()) return problem;
  std::string& rule = problem->rule;
  constexpr std::string_view of = " of ";
  const std::size_t within = rule.find(" of out ");
  if (rule.starts_with("out "))
    rule.replace(0, 3, like);
  else if (within != std::string::npos)
    rule.replace(within + of.size(), 3, like);
  return problem;
}

DType real_dtype(std::string_view operation, nb::handle dtype, DType none) {
  if (dtype.is_none()) return none;
  return dtype_in(
      operation, dtype,
      {{"float32", DType::f32}, {"float64", DType::f64}, {"float16", DType::f16}, {"bfloat16", DType::bf16}});
}

DType whole_dtype(std::string_view operation, nb::handle dtype, DType none) {
  if (dtype.is_none()) return none;
  return dtype_in(operation, dtype, {{"int64", DType::i64}, {"int32", DType::i32}});
}

// ---- plain values ------------------------------------------------------------------------------------------------

bool truth(nb::handle value) {
  const int is = PyObject_IsTrue(value.ptr());
  if (is < 0) throw nb::python_error();
  return is == 1;
}

std::int64_t integer(std::string_view operation, std::string_view name, nb::handle value) {
  if (PyLong_CheckExact(value.ptr())) return whole_number(operation, name, value);
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr())) {
    refuse_type(operation, std::string(name) + " must be an integer", value);
  }
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  return whole_number(operation, name, whole);
}

double real(std::string_view operation, std::string_view name, nb::handle value) {
  if (!PyFloat_Check(value.ptr()) && !PyIndex_Check(value.ptr()) && !PyObject_HasAttrString(value.ptr(), "__float__")) {
    refuse_type(operation, std::string(name) + " must be a number", value);
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    const bool is_beyond = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    if (!is_beyond && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    if (!is_beyond) refuse_type(operation, std::string(name) + " must be a number", value);
    refuse(operation, std::string(name) + " must be a double", "a number beyond its range");
  }
  return number;
}

std::string text(std::string_view operation, std::string_view name, nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(operation, std::string(name) + " must be a string", value);
  Py_ssize_t length = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(length)};
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw nb::python_error();
  PyErr_Clear();
  refuse(operation, std::string(name) + " must be of whole characters", said(value));
}

std::vector<std::int64_t> integer_list(std::string_view operation, std::string_view name, nb::handle value) {
  if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr())) {
    refuse_type(operation, std::string(name) + " must be a sequence of integers", value);
  }
  std::vector<std::int64_t> list;
  for (const nb::handle item : nb::iter(value)) list.push_back(integer(operation, name, item));
  return list;
}

constexpr std::size_t part_of_list = std::size_t{1} << 18;  // some milliseconds

void raise_if_signalled() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

nb::list list_of(std::span<const double> numbers) {
  nb::list made = nb::steal<nb::list>(PyList_New(std::ssize(numbers)));
  if (!made.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % part_of_list == 0) raise_if_signalled();
    PyList_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble(numbers[i]));
  }
  return made;
}

nb::object array_of(std::string_view operation, std::string_view name, nb::handle list) {
  const auto made_by = [&](const char* function, nb::handle from) {
    try {
      return numpy(function)(from);
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_ValueError)) throw;
      refuse(operation, std::string(name) + " must be numbers, or lists of as many numbers each", "other lists");
    }
  };
  const std::size_t count = nb::len(list);
  if (count <= part_of_list) return made_by("asarray", list);
  nb::list parts;
  for (std::size_t begin = 0; begin < count; begin += part_of_list) {
    raise_if_signalled();
    const auto first = static_cast<Py_ssize_t>(begin), last = static_cast<Py_ssize_t>(begin + part_of_list);
    const nb::object part = nb::steal(PySequence_GetSlice(list.ptr(), first, last));
    if (!part.is_valid()) throw nb::python_error();
    parts.append(made_by("asarray", part));
  }
  return made_by("concatenate", parts);
}

std::uint64_t natural(std::string_view operation, std::string_view name, nb::handle value, int bits) {
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr())) {
    refuse_type(operation, std::string(name) + " must be an integer", value);
  }
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  const unsigned long long number = PyLong_AsUnsignedLongLong(whole.ptr());
  const bool failed = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (failed || (bits < 64 && number >> bits != 0)) {
    refuse(operation, std::string(name) + " must be 0 to 2^" + std::to_string(bits) + " - 1", said(whole));
  }
  return number;
}

}  // namespace posenc::python
