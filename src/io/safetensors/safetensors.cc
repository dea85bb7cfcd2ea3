// SPDX-License-Identifier: Apache-2.0
// Safetensors files in memory and on disk: the header first, then single tensors by name.
#include <posenc/safetensors.h>

#include <unistd.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/element_bytes.h"
#include "src/io/npy/npy_header.h"
#include "src/io/safetensors/safetensors_header.h"

namespace posenc::io {
namespace {

// ---- bytes --------------------------------------------------------------------------------------

std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

[[noreturn]] void refuse_change(std::string_view path) {
  refuse_path(safetensors_reading, "must not change while it is read", path, " which changed");
}

// ---- names --------------------------------------------------------------------------------------

/// The fewest insertions, deletions and replacements that turn `part` into some stretch of `whole` (P. Sellers, 1980).
std::size_t distance(std::string_view part, std::string_view whole) {
  std::vector<std::size_t> row(part.size() + 1);  // of part's first j letters, in a stretch that ends here
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::size_t least = part.size();
  for (const char letter : whole) {
    std::size_t diagonal = row[0];
    for (std::size_t j = 1; j <= part.size(); ++j) {
      const std::size_t replaced = diagonal + (part[j - 1] != letter ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
    least = std::min(least, row.back());
  }
  return least;
}

/// The names most like `wanted`: it stands in them, or they in it, with a few letters changed. Without any, the first
/// ones of the file. Long names and, in very large files, late ones are passed over, so that the work is bounded.
std::vector<std::string_view> nearest(const std::vector<StoredTensor>& tensors, std::string_view wanted) {
  constexpr std::size_t longest = 128, most_names = 4, most_steps = std::size_t{1} << 26;
  struct Candidate {
    std::size_t distance;
    std::size_t more;  // letters that only one of the two has
    std::string_view name;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  std::size_t steps = 0;
  for (const StoredTensor& tensor : tensors) {
    const std::string_view name = tensor.name;
    const bool longer = name.size() >= wanted.size();
    const std::string_view part = longer ? wanted : name, whole = longer ? name : wanted;
    steps += part.size() * whole.size();
    if (whole.size() > longest || steps > most_steps) continue;
    const std::size_t letters = part.size() < 6 ? 0 : std::min<std::size_t>(3, part.size() / 3);
    const std::size_t found = distance(part, whole);
    if (!part.empty() && found <= letters) candidates.push_back({found, whole.size() - part.size(), name});
  }
  std::ranges::sort(candidates);
  std::vector<std::string_view> names;
  for (const Candidate& candidate : candidates) names.push_back(candidate.name);
  for (std::size_t i = 0; candidates.empty() && i < std::min(tensors.size(), most_names); ++i) {
    names.push_back(tensors[i].name);
  }
  names.resize(std::min(names.size(), most_names));
  return names;
}

[[noreturn]] void refuse_name(const SafetensorsHeader& header, std::string_view wanted, std::string_view path) {
  constexpr std::size_t shown = 40, room = 100;  // so that the message stays below 300 bytes
  std::string list;
  for (const std::string_view name : nearest(header.tensors, wanted)) {
    const std::string next = (list.empty() ? ", such as " : ", ") + quote(name, Keep::head, shown);
    if (list.size() + next.size() <= room) list += next;
  }
  const std::string rule = header.tensors.empty()
                               ? "the file holds no tensors"
                               : "the tensor must be one of the file's " + std::to_string(header.tensors.size()) + list;
  refuse_safetensors(rule, quote(wanted, Keep::head, shown), {path, 0});
}

// ---- rows ---------------------------------------------------------------------------------------

bool is_row_major(const View& view) {
  std::int64_t stride = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    if (view.size(axis) > 1 && view.stride(axis) != stride) return false;
    stride *= view.size(axis);
  }
  return true;
}

void check_rows(const StoredTensor& tensor, std::int64_t first, const View& out, const SafetensorsFile& file) {
  require(check_output(safetensors_reading, "out", out));
  const std::span shape = sizes(out);
  const bool same = !shape.empty() && shape.size() == tensor.shape.size() && out.dtype == tensor.dtype &&
                    std::ranges::equal(shape.subspan(1), std::span(tensor.shape).subspan(1));
  if (!same) {
    refuse_safetensors("out must be rows of the tensor, " + std::string(to_string(tensor.dtype)) + " " +
                           tuple_text(tensor.shape).substr(0, 60),
                       std::string(to_string(out.dtype)) + " " + quote(tuple_text(shape), Keep::head, 40), file);
  }
  if (out.count() > 0 && !is_row_major(out)) {
    refuse_safetensors("out must be row-major without gaps", "other strides", file, tensor.name);
  }
  if (first < 0 || first > tensor.shape[0] || shape[0] > tensor.shape[0] - first) {
    refuse_safetensors("the rows must be within the tensor's " + std::to_string(tensor.shape[0]),
                       std::to_string(shape[0]) + " from " + std::to_string(first), file, tensor.name);
  }
}

}  // namespace

SafetensorsHeader parse_safetensors(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const SafetensorsFile file = {name, text.size()};
  return read_header(text.substr(8, header_length(text.substr(0, safetensors_start), file)), file);
}

std::optional<Problem> check_safetensors(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] { parse_safetensors(bytes, name); });
}

Safetensors::Safetensors(std::string path) : path_(std::move(path)) {
  Descriptor file = open_regular(safetensors_reading, path_);
  state_ = state_of(file.get(), safetensors_reading, path_);
  const SafetensorsFile described = {path_, static_cast<std::uint64_t>(state_.size)};
  std::string start(std::min<std::size_t>(described.size, safetensors_start), '\0');
  if (!read_at(file.get(), 0, bytes_of(start), safetensors_reading, path_)) refuse_change(path_);
  std::string text(header_length(start, described), '\0');
  if (!read_at(file.get(), 8, bytes_of(text), safetensors_reading, path_)) refuse_change(path_);
  header_ = read_header(text, described);
  by_name_.resize(header_.tensors.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {}, [&](std::size_t i) -> std::string_view { return header_.tensors[i].name; });
  file_ = file.release();
}

Safetensors::~Safetensors() { ::close(file_); }

const StoredTensor& Safetensors::tensor(std::string_view name) const {
  const auto name_of = [&](std::size_t i) -> std::string_view { return header_.tensors[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found == by_name_.end() || name_of(*found) != name) refuse_name(header_, name, path_);
  return header_.tensors[*found];
}

const StoredTensor& Safetensors::readable(std::string_view name) const {
  const StoredTensor& stored = tensor(name);
  if (stored.dtype != DType{}) return stored;
  refuse_safetensors("the type must be F32, F16, BF16, F64, I32 or I64 to be read", stored.type, {path_, 0},
                     stored.name);
}

void Safetensors::read_bytes(std::uint64_t offset, std::size_t element, std::span<std::byte> to,
                             const Watch& watch) const {
  const bool whole = read_at(file_, header_.data + offset, to, safetensors_reading, path_, watch);
  if (!whole || state_of(file_, safetensors_reading, path_) != state_) refuse_change(path_);
  to_little_endian(to, element);
}

Array Safetensors::read(std::string_view name, const Watch& watch) const {
  const StoredTensor& stored = readable(name);
  Array array = {stored.dtype, stored.shape, {}};
  try {
    array.data.resize(static_cast<std::size_t>(stored.end - stored.begin));
  } catch (const std::bad_alloc&) {
    fail_with(safetensors_reading, "the tensor must fit in memory", path_, ENOMEM);
  }
  read_bytes(stored.begin, size_of(stored.dtype), array.data, watch);
  return array;
}

void Safetensors::read_rows(std::string_view name, std::int64_t first, View out) const {
  const StoredTensor& stored = readable(name);
  check_rows(stored, first, out, {path_, 0});
  const auto size = static_cast<std::size_t>(out.count()) * size_of(out.dtype);
  if (size == 0) return;
  const std::uint64_t row = (stored.end - stored.begin) / static_cast<std::uint64_t>(stored.shape[0]);
  read_bytes(stored.begin + static_cast<std::uint64_t>(first) * row, size_of(out.dtype),
             {static_cast<std::byte*>(out.data), size}, {});
}

void Safetensors::read_raw(std::uint64_t offset, std::span<std::byte> out) const {
  const auto size = static_cast<std::uint64_t>(state_.size);
  if (offset > size || out.size() > size - offset) {
    refuse_safetensors("bytes must be within the file's " + std::to_string(size),
                       std::to_string(out.size()) + " from byte " + std::to_string(offset), {path_, 0});
  }
  const bool whole = read_at(file_, offset, out, safetensors_reading, path_, {});
  if (!whole || state_of(file_, safetensors_reading, path_) != state_) refuse_change(path_);
}

}  // namespace posenc::io
