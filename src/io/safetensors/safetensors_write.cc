// SPDX-License-Identifier: Apache-2.0
// Safetensors files out: one header, then the elements, at once or in a stream.
#include <algorithm>

#include "src/base/json_write.h"
#include "src/base/quote.h"
#include "src/io/files/element_bytes.h"
#include "src/io/npy/stream_shape.h"
#include "src/io/safetensors/safetensors_header.h"

namespace posenc::io {
namespace {

constexpr std::string_view writing_safetensors = "write_safetensors";

Problem writing_problem(std::string rule, std::string value) {
  return {std::string(writing_safetensors), std::move(rule), std::move(value)};
}

// ---- the header ---------------------------------------------------------------------------------

/// What the header says of one tensor.
struct HeaderEntry {
  std::string_view name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

std::string metadata_text(const Metadata& metadata) {
  JsonTree::Object members;
  for (const auto& [key, value] : metadata) members.push_back({key, {value}});
  return json_text({std::move(members)});
}

/// What the first tensor's bytes begin at a multiple of. The package aligns to 8; streams to a line of memory, which
/// programs that map the file read at once.
enum class Alignment : std::size_t { package = 8, line = 64 };

/// Length, JSON and spaces up to that alignment; `room` bytes where that is more.
std::string header_text(std::span<const HeaderEntry> entries, const Metadata& metadata, Alignment alignment,
                        std::size_t room = 0) {
  std::string json = "{";
  if (!metadata.empty()) json += "\"__metadata__\":" + metadata_text(metadata);
  for (const HeaderEntry& entry : entries) {
    json += (json.size() > 1 ? "," : "") + json_string(entry.name) + ":{\"dtype\":\"";
    json += std::string(stored_name(entry.dtype)) + "\",\"shape\":[";
    for (const std::int64_t& size : entry.shape) {
      json += (&size == entry.shape.data() ? "" : ",") + std::to_string(size);
    }
    json += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," + std::to_string(entry.end) + "]}";
  }
  json += "}";
  constexpr std::size_t length_bytes = 8;
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t least = (length_bytes + json.size() + unit - 1) / unit * unit;
  json.resize(std::max(room, least) - length_bytes, ' ');
  std::string length;
  for (std::size_t i = 0; i < length_bytes; ++i) length += static_cast<char>((json.size() >> (8 * i)) & 0xFF);
  return length + json;
}

// ---- checks -------------------------------------------------------------------------------------

bool is_utf8(std::string_view text) { return find_not_utf8(text) == text.npos; }

std::optional<Problem> check_name(std::string_view name) {
  if (name.empty()) return writing_problem("a tensor must have a name", "an empty one");
  if (name == "__metadata__") return writing_problem("a tensor must have a name of its own", quote(name));
  if (name.size() > safetensors_name_limit) {
    return writing_problem("a name must have at most " + std::to_string(safetensors_name_limit) + " bytes",
                           std::to_string(name.size()));
  }
  if (!is_utf8(name)) return writing_problem("a name must be UTF-8", quote(name));
  return std::nullopt;
}

std::optional<Problem> check_names(std::vector<std::string_view> names) {
  if (names.size() > safetensors_tensor_limit) {
    return writing_problem("a file must have at most " + std::to_string(safetensors_tensor_limit) + " tensors",
                           std::to_string(names.size()));
  }
  for (const std::string_view name : names) {
    if (auto problem = check_name(name)) return problem;
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) return writing_problem("a tensor must stand only once", quote(*twice));
  return std::nullopt;
}

/// A view that the reader takes when it is in a file.
std::optional<Problem> check_tensor(std::string_view name, const ConstView& view) {
  if (auto problem = check_view(writing_safetensors, quote(name, Keep::head, 40), view)) return problem;
  return check_plan(writing_safetensors, view.dtype, sizes(view));
}

std::optional<Problem> check_metadata(const Metadata& metadata) {
  if (metadata.size() > safetensors_tensor_limit) {
    return writing_problem("metadata must have at most " + std::to_string(safetensors_tensor_limit) + " entries",
                           std::to_string(metadata.size()));
  }
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) return writing_problem("metadata must be UTF-8", quote(key));
  }
  return std::nullopt;
}

std::optional<Problem> check_header(std::string_view header) {
  if (header.size() - 8 <= safetensors_header_limit) return std::nullopt;
  return writing_problem("the header must have at most " + std::to_string(safetensors_header_limit) + " bytes",
                         std::to_string(header.size() - 8));
}

// ---- whole files --------------------------------------------------------------------------------

/// The package writes types in this order, by falling alignment, and names in the order of their bytes.
constexpr DType order_of_types[] = {DType::i64, DType::f64, DType::f32, DType::i32, DType::bf16, DType::f16};

std::vector<NamedView> in_order(std::span<const NamedView> tensors) {
  std::vector<NamedView> sorted(tensors.begin(), tensors.end());
  std::ranges::sort(sorted, {}, [](const NamedView& tensor) {
    return std::pair(std::ranges::find(order_of_types, tensor.view.dtype) - order_of_types, tensor.name);
  });
  return sorted;
}

std::vector<std::int64_t> shape_of(const ConstView& view) { return {sizes(view).begin(), sizes(view).end()}; }

std::uint64_t size_of(const ConstView& view) {
  return static_cast<std::uint64_t>(view.count()) * posenc::size_of(view.dtype);
}

std::string header_of(std::span<const NamedView> sorted, const Metadata& metadata) {
  std::vector<HeaderEntry> entries;
  std::uint64_t at = 0;
  for (const NamedView& tensor : sorted) {
    entries.push_back({tensor.name, tensor.view.dtype, shape_of(tensor.view), at, at + size_of(tensor.view)});
    at = entries.back().end;
  }
  return header_text(entries, metadata, Alignment::package);
}

/// Hands header and elements to sink(bytes).
template <class Sink>
void for_each_part(std::span<const NamedView> tensors, const Metadata& metadata, Sink sink) {
  const std::vector<NamedView> sorted = in_order(tensors);
  const std::string header = header_of(sorted, metadata);
  sink(std::as_bytes(std::span(header)));
  for (const NamedView& tensor : sorted) for_each_piece(tensor.view, sink);
}

// ---- streams ------------------------------------------------------------------------------------

std::optional<Problem> check_plans(std::span<const TensorPlan> plan, const Metadata& metadata) {
  if (plan.empty()) return writing_problem("a stream must have a first tensor", "an empty plan");
  std::vector<std::string_view> names;
  for (const TensorPlan& tensor : plan) names.push_back(tensor.name);
  if (auto problem = check_names(std::move(names))) return problem;
  if (auto problem = check_metadata(metadata)) return problem;
  if (auto problem = check_plan(writing_safetensors, plan[0].dtype, plan[0].shape)) return problem;
  for (const TensorPlan& tensor : plan.subspan(1)) {
    // Sizes that a view will tell need no counting: any number of them may be unknown.
    if (auto problem = check_plan(writing_safetensors, tensor.dtype, with_size(tensor.shape, 0))) return problem;
  }
  return std::nullopt;
}

bool is_known(std::span<const TensorPlan> plan) {
  return std::ranges::all_of(plan, [](const TensorPlan& tensor) { return io::is_known(tensor.shape); });
}

/// The header when every unknown size is the largest there is, or the final one when none is.
std::string largest_header(std::span<const TensorPlan> plan, const Metadata& metadata) {
  require(check_plans(plan, metadata));
  constexpr std::uint64_t longest = 1'000'000'000'000'000'000;  // as many digits as an offset can have
  const bool known = is_known(plan);
  std::vector<HeaderEntry> entries;
  std::uint64_t at = 0;
  for (const TensorPlan& tensor : plan) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(known_count(tensor.shape)) * posenc::size_of(tensor.dtype);
    const std::vector<std::int64_t> shape = with_size(tensor.shape, npy_dimension_limit);
    entries.push_back({tensor.name, tensor.dtype, shape, known ? at : longest, known ? at + bytes : longest});
    at += bytes;
  }
  std::string header = header_text(entries, metadata, Alignment::line);
  require(check_header(header));
  return header;
}

std::optional<Problem> check_others(std::span<const TensorPlan> plan, std::span<const ConstView> others) {
  if (others.size() != plan.size() - 1) {
    return writing_problem("as many tensors must follow as are planned, " + std::to_string(plan.size() - 1),
                           std::to_string(others.size()));
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    const TensorPlan& planned = plan[i + 1];
    const std::string shown = quote(planned.name, Keep::head, 40);
    if (auto problem = check_tensor(planned.name, others[i])) return problem;
    const std::vector<std::int64_t> shape = shape_of(others[i]);
    const bool same = std::ranges::equal(shape, planned.shape, [](std::int64_t size, std::int64_t plan_size) {
      return size == plan_size || plan_size == unknown_size;
    });
    if (others[i].dtype != planned.dtype || !same) {
      return writing_problem("a tensor must have the type and shape that are planned", shown);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_safetensors_bytes(std::span<const NamedView> tensors, const Metadata& metadata) {
  std::vector<std::string_view> names;
  std::uint64_t bytes = 0;
  for (const NamedView& tensor : tensors) {
    names.push_back(tensor.name);
    if (auto problem = check_tensor(tensor.name, tensor.view)) return problem;
    if (__builtin_add_overflow(bytes, size_of(tensor.view), &bytes)) {
      return writing_problem("all tensors together must have less than 2^64 bytes", "more");
    }
  }
  if (auto problem = check_names(std::move(names))) return problem;
  if (auto problem = check_metadata(metadata)) return problem;
  return check_header(header_of(tensors, metadata));
}

std::vector<std::byte> safetensors_bytes(std::span<const NamedView> tensors, const Metadata& metadata) {
  require(check_safetensors_bytes(tensors, metadata));
  std::vector<std::byte> bytes;
  for_each_part(tensors, metadata,
                [&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  return bytes;
}

void write_safetensors(const std::string& path, std::span<const NamedView> tensors, const Metadata& metadata,
                       const WriteOptions& options) {
  require(check_safetensors_bytes(tensors, metadata));
  FileWriter file(path, options);
  for_each_part(tensors, metadata, [&](std::span<const std::byte> part) { file.write(part); });
  file.commit();
}

SafetensorsStream::SafetensorsStream(std::string path, std::vector<TensorPlan> plan, Metadata metadata,
                                     const WriteOptions& options)
    : plan_(std::move(plan)),
      metadata_(std::move(metadata)),
      header_(largest_header(plan_, metadata_)),
      file_(std::move(path), options) {
  require_patchable(writing_safetensors, file_, is_known(plan_));
  file_.write(std::as_bytes(std::span(header_)));
}

void SafetensorsStream::write(const ConstView& piece) {
  require(check_piece(writing_safetensors, plan_[0].dtype, plan_[0].shape, elements_, piece));
  for_each_piece(piece, [&](std::span<const std::byte> bytes) { file_.write(bytes); });
  elements_ += piece.count();
}

void SafetensorsStream::commit(std::span<const ConstView> others) { finish(others).commit(); }

FileWriter& SafetensorsStream::finish(std::span<const ConstView> others) {
  const std::vector<std::int64_t> first = filled_shape(writing_safetensors, plan_[0].shape, elements_);
  require(check_others(plan_, others));
  std::uint64_t at = static_cast<std::uint64_t>(elements_) * posenc::size_of(plan_[0].dtype);
  std::vector<HeaderEntry> entries = {{plan_[0].name, plan_[0].dtype, first, 0, at}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    for_each_piece(others[i], [&](std::span<const std::byte> bytes) { file_.write(bytes); });
    entries.push_back({plan_[i + 1].name, others[i].dtype, shape_of(others[i]), at, at + size_of(others[i])});
    at = entries.back().end;
  }
  if (!is_known(plan_)) {
    const std::string header = header_text(entries, metadata_, Alignment::line, header_.size());
    file_.write_at(0, std::as_bytes(std::span(header)));
  }
  return file_;
}

}  // namespace posenc::io
