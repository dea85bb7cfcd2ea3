// SPDX-License-Identifier: Apache-2.0
// Tensors are read when the first part asks for them, and no part is given one that has not its shape.
#include "src/io/model/model_weights.h"

#include <algorithm>
#include <cstring>

#include "src/base/quote.h"
#include "src/base/to_text.h"
#include "src/io/files/element_bytes.h"

namespace posenc::io {
namespace {

std::string shown(std::span<const std::int64_t> shape) {
  const auto text = [](std::int64_t size) { return size == any_size ? std::string("n") : std::to_string(size); };
  return "[" + listed(shape, text) + "]";
}

bool has_shape(const ConstView& view, std::span<const std::int64_t> shape) {
  return std::ranges::equal(
      sizes(view), shape, [](std::int64_t size, std::int64_t wanted) { return wanted == any_size || size == wanted; });
}

/// The one row of a view, without its axis.
ConstView row_of(ConstView view) {
  std::ranges::rotate(view.shape, view.shape.begin() + 1);
  std::ranges::rotate(view.strides, view.strides.begin() + 1);
  --view.rank;
  return view;
}

/// {layer} becomes a number.
std::string numbered(std::string text, std::int64_t layer) {
  constexpr std::string_view mark = "{layer}";
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), std::to_string(layer));
  }
  return text;
}

template <class T>
Array widened(const Array& narrow) {
  Array wide = {DType::f32, narrow.shape, std::vector<std::byte>(2 * narrow.data.size())};
  for (std::size_t i = 0; i < narrow.data.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, narrow.data.data() + i * sizeof(T), sizeof(T));
    const float out = static_cast<float>(value);
    std::memcpy(wide.data.data() + i * sizeof(float), &out, sizeof(float));
  }
  return wide;
}

}  // namespace

void ModelWeights::refuse(std::string rule, std::string value) const {
  throw Error({"model", std::move(rule), value + " in " + quote(path_, Keep::tail)});
}

void ModelWeights::require(std::string_view what, const std::optional<Problem>& problem) const {
  if (problem) refuse(std::string(what) + ": " + problem->rule, problem->value);
}

const Array& ModelWeights::load(const std::string& name) {
  if (const auto found = memory_.tensors.find(name); found != memory_.tensors.end()) return found->second;
  const StoredTensor& stored = file_.tensor(name);
  if (stored.dtype != DType::f32 && stored.dtype != DType::f16 && stored.dtype != DType::bf16) {
    refuse("the tensor " + quote(name) + " must be F32, F16 or BF16", std::string(stored.type));
  }
  Array array = file_.read(name);
  if (array.dtype == DType::f16) array = widened<half>(array);
  if (array.dtype == DType::bf16) array = widened<bfloat16>(array);
  return memory_.tensors.emplace(name, std::move(array)).first->second;
}

ConstView ModelWeights::zero_rows(std::int64_t width) {
  constexpr std::int64_t positions = std::int64_t{1} << 48;
  memory_.zeros.emplace_back(static_cast<std::size_t>(width));
  return view(std::as_const(memory_.zeros.back()).data(), {width}).repeated(positions);
}

ConstView ModelWeights::tensor(const std::string& name, std::span<const std::int64_t> shape, std::string_view role) {
  const ConstView view = load(name).view();
  if (!has_shape(view, shape)) {
    refuse("the tensor " + quote(name) + ", " + std::string(role) + ", must be " + shown(shape), shown(sizes(view)));
  }
  return view;
}

ConstView ModelWeights::part(const std::string& name, std::int64_t layer, std::initializer_list<std::int64_t> shape) {
  const TensorPart& place = *model_.parts.at(name);
  const std::string tensor_name = numbered(place.tensor, layer), role = numbered(name, layer);
  const std::vector<std::int64_t> wanted(shape);
  if (!place.rows && !place.row) return tensor(tensor_name, wanted, role);
  const std::int64_t first = place.row ? *place.row : (*place.rows)[0];
  const std::int64_t last = place.row ? first + 1 : (*place.rows)[1];
  ConstView view = load(tensor_name).view();
  if (view.rank < 1 || view.size(0) < last) {
    refuse("the tensor " + quote(tensor_name) + " must have the rows " + std::to_string(first) + " to " +
               std::to_string(last - 1) + ", which are " + role,
           shown(sizes(view)));
  }
  view.data = static_cast<const float*>(view.data) + first * view.stride(0);
  view.shape[0] = last - first;
  if (place.row) view = row_of(view);
  if (!has_shape(view, wanted)) {
    refuse("the part of the tensor " + quote(tensor_name) + " that is " + role + " must be " + shown(wanted),
           shown(sizes(view)));
  }
  return view;
}

std::optional<ConstView> ModelWeights::part_or_none(const std::string& name, std::int64_t layer,
                                                    std::initializer_list<std::int64_t> shape) {
  if (!has(name)) return std::nullopt;
  return part(name, layer, shape);
}

Linear ModelWeights::linear(const std::string& name, std::int64_t layer, std::int64_t outputs, std::int64_t inputs) {
  const ConstView weight = part(name + ".weight", layer, {outputs, inputs});
  return {weight, part_or_none(name + ".bias", layer, {weight.size(0)})};
}

Norm ModelWeights::norm(const std::string& name, std::int64_t layer, std::int64_t width, double epsilon) {
  return {part(name + ".weight", layer, {width}), part_or_none(name + ".bias", layer, {width}), epsilon};
}

std::optional<Norm> ModelWeights::norm_or_none(const std::string& name, std::int64_t width, double epsilon) {
  if (has(name + ".weight")) return norm(name, 0, width, epsilon);
  if (has(name + ".bias")) refuse(name + ".weight must be stated where " + name + ".bias is", "null");
  return std::nullopt;
}

MultiHead ModelWeights::multi_head(const std::string& name, std::int64_t layer, std::int64_t width, std::int64_t source,
                                   const StackDescription& stack) {
  const Linear query = linear(name + ".query", layer, any_size, width);
  const std::int64_t columns = query.weight.size(0);
  if (columns % stack.heads != 0) {
    refuse(numbered(name, layer) + ".query.weight must have rows for " + std::to_string(stack.heads) + " equal heads",
           std::to_string(columns));
  }
  const std::int64_t head = columns / stack.heads, keys = head * stack.key_heads;
  if (const auto* turned = std::get_if<TurnedHeads>(&stack.positions); turned != nullptr && turned->columns > head) {
    refuse("the columns that are turned must be at most those of a head, " + std::to_string(head),
           std::to_string(turned->columns));
  }
  return {query,
          linear(name + ".key", layer, keys, source),
          linear(name + ".value", layer, keys, source),
          linear(name + ".out", layer, width, columns),
          stack.heads,
          stack.key_heads};
}

FeedForward ModelWeights::feed_forward(const std::string& name, std::int64_t layer, std::int64_t width) {
  const Linear wide = linear(name + ".wide", layer, any_size, width);
  return {wide, linear(name + ".narrow", layer, width, wide.weight.size(0))};
}

}  // namespace posenc::io
