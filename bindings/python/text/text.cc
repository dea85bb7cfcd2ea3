// SPDX-License-Identifier: Apache-2.0
// The module posenc._text: tokenizers for posenc/text.py. It stands apart from _core, whose libraries know no text.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <posenc/io/file.h>
#include <posenc/text/tokenizer.h>
#include <posenc/text/tokenizer_json.h>

#include <algorithm>

#include "apps/posenc/default/default_tokens.h"
#include "apps/posenc/default/embedded.h"
#include "bindings/python/errors.h"

namespace posenc::python {
namespace {

using io::Tokenizer;
template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Bytes of text between two looks for a signal: some milliseconds of the slowest tokenizer.
constexpr std::int64_t between_looks = std::int64_t{1} << 16;
/// Of a vocabulary and a SentencePiece model; a tokenizer.json has a limit of its own.
constexpr std::uint64_t file_limit = io::vocabulary_byte_limit;

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

Tokenizer tokenizer_of(std::string_view kind, std::string_view file, const std::string& name, std::int32_t size) {
  if (kind == "built_in") return tool::read_default_tokens(file).bpe;
  if (kind == "bpe") return io::parse_tokenizer_json(file, name).bpe;
  if (kind == "sentencepiece") return io::SentencePiece(file, name);
  if (kind == "chars") return io::Chars(io::parse_vocabulary(file, name));
  if (kind == "words") return io::Words(io::parse_vocabulary(file, name));
  if (kind == "ids") return io::Ids(size);
  return io::Bytes{};
}

void make_tokenizer(Tokenizer* self, const std::string& kind, const nb::bytes& file, const std::string& name,
                    std::int32_t size) {
  const nb::gil_scoped_release released;
  new (self) Tokenizer(tokenizer_of(kind, view_of(file), name, size));
}

template <class T>
nb::object array_of(std::vector<T> numbers) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* of) noexcept { delete static_cast<std::vector<T>*>(of); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// The ids of one text; without `most`, all.
nb::object encode(const Tokenizer& self, const nb::bytes& text, std::optional<std::size_t> most) {
  std::vector<std::int32_t> ids;
  {
    const nb::gil_scoped_release released;
    io::Unknowns unknowns;
    (void)io::encode_first(self, view_of(text), io::Rest::none, most.value_or(io::no_limit), ids, unknowns);
  }
  return array_of(std::move(ids));
}

struct Failure {
  std::int64_t row;
  Problem problem;
};
struct Column {
  std::vector<std::int32_t> ids = {};
  std::vector<std::int64_t> offsets = {0};  // of each row in `ids`
  std::vector<Failure> failures = {};       // of rows that have none
};

// A list of (row, operation, rule, value, index).
nb::list list_of(const std::vector<Failure>& failures) {
  nb::list list;
  for (const auto& [row, problem] : failures) {
    nb::list index;
    for (const std::int64_t i : problem.index) index.append(i);
    const auto text = [](const std::string& words) {
      return nb::steal(PyUnicode_DecodeUTF8(words.data(), std::ssize(words), "backslashreplace"));
    };
    list.append(
        nb::make_tuple(row, text(problem.operation), text(problem.rule), text(problem.value), nb::tuple(index)));
  }
  return list;
}

void raise_if_signalled() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Column encoded(const Tokenizer& tokenizer, std::string_view data, std::span<const std::int64_t> ends,
               std::size_t most) {
  Column column;
  std::int64_t looked = 0;
  io::Unknowns unknowns;
  for (std::size_t row = 0; row + 1 < ends.size(); ++row) {
    const auto begin = static_cast<std::size_t>(ends[row]), end = static_cast<std::size_t>(ends[row + 1]);
    try {
      (void)io::encode_first(tokenizer, data.substr(begin, end - begin), io::Rest::none, most, column.ids, unknowns);
    } catch (const Error& error) {
      column.failures.push_back({static_cast<std::int64_t>(row), error.problem()});
    }
    column.offsets.push_back(std::ssize(column.ids));
    if (ends[row + 1] - looked < between_looks) continue;
    looked = ends[row + 1];
    raise_if_signalled();
  }
  return column;
}

// The ids of every row of a column of texts as Arrow has it: row i is data[offsets[i]] to data[offsets[i + 1]].
nb::tuple encode_column(const Tokenizer& self, const Numbers<std::uint8_t>& data, const Numbers<std::int64_t>& offsets,
                        std::optional<std::size_t> most) {
  const std::span<const std::int64_t> ends(offsets.data(), offsets.size());
  const bool are_places = !ends.empty() && ends.front() >= 0 && std::ranges::is_sorted(ends) &&
                          static_cast<std::size_t>(ends.back()) <= data.size();
  if (!are_places) refuse("encode_column", "offsets must rise within the bytes of the texts", "others");
  Column column;
  {
    const nb::gil_scoped_release released;
    const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
    column = encoded(self, bytes, ends, most.value_or(io::no_limit));
  }
  return nb::make_tuple(array_of(std::move(column.ids)), array_of(std::move(column.offsets)), list_of(column.failures));
}

nb::bytes bytes_of(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

}  // namespace

NB_MODULE(_text, module) {
  nb::set_leak_warnings(false);
  bind_errors();
  nb::class_<Tokenizer>(module, "Tokenizer")
      .def("__init__", &make_tokenizer)
      .def("size", [](const Tokenizer& self) { return io::size(self); })
      .def("unknown", [](const Tokenizer& self) { return io::unknown(self); })
      .def("encode", &encode, nb::arg("text"), nb::arg("most").none())
      .def("encode_column", &encode_column, nb::arg("data"), nb::arg("offsets"), nb::arg("most").none())
      .def("decode",
           [](const Tokenizer& self, const Numbers<std::int32_t>& ids) {
             return bytes_of(io::decode(self, std::span(ids.data(), ids.size())));
           })
      .def("token", [](const Tokenizer& self, std::int32_t id) { return bytes_of(io::token(self, id)); });
  module.def("built_in", [] {
    const std::string_view file = tool::embedded_default_tokens();
    return nb::bytes(file.data(), file.size());
  });
  module.def("read_file", [](const std::string& kind, const std::string& path) {
    return bytes_of(io::read_file(path, kind == "bpe" ? io::tokenizer_json_byte_limit : file_limit));
  });
}

}  // namespace posenc::python
