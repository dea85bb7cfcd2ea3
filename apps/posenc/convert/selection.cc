// SPDX-License-Identifier: Apache-2.0
// Which tensors are reordered, and what their rows hold.
#include <fmt/format.h>
#include <posenc/rotary.h>

#include <algorithm>
#include <map>
#include <set>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/convert/names.h"
#include "apps/posenc/convert/shards.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// A tensor that a name or the pattern has found; without a name it is known by its rows.
struct Found {
  Shard* shard;
  std::size_t number;
  std::optional<ModuleName> name;

  const io::StoredTensor& tensor() const { return shard->file->header().tensors[number]; }
};

// The first sizes of the shape, or all of them, make that many rows.
enum class Sizes : std::uint8_t { first = 1, all };
bool has_rows(const std::vector<std::int64_t>& shape, std::int64_t rows, Sizes sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size == 0 || product > rows / size) return false;
    product *= size;
    if (product == rows && sizes == Sizes::first) return true;
  }
  return product == rows;
}

class Selection {
 public:
  Selection(std::string_view operation, const std::string& pattern, HeadNumbers& numbers)
      : operation_(operation), pattern_(pattern), numbers_(numbers) {}

  void select(Checkpoint& checkpoint) {
    find(checkpoint);
    check_stacks();
    check_types();
    if (!numbers_.head) numbers_.head = head_of_first();
    check_latent();
    check_beside(checkpoint);
    for (const Found& each : found_) {
      const std::int64_t head = is_latent(each) ? latent_rows(each) : *numbers_.head;
      each.shard->selected.push_back({each.number, projection_of(each), head});
    }
  }

 private:
  void find(Checkpoint& checkpoint) {
    std::vector<Found> matched;
    for (Shard& shard : checkpoint.shards) {
      const auto& tensors = shard.file->header().tensors;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!pattern_.empty() && !fits_pattern(tensors[i].name, pattern_)) continue;
        matched.push_back({&shard, i, module_of(tensors[i].name)});
      }
    }
    if (matched.empty() && !pattern_.empty()) refuse(operation_, "the pattern must match a tensor", quote(pattern_));
    const bool named = std::ranges::any_of(matched, [](const Found& each) { return each.name.has_value(); });
    for (Found& each : matched) {
      if (named ? !each.name : pattern_.empty()) continue;
      check_part(each);
      if (!each.name || each.name->part == Part::rows) found_.push_back(std::move(each));
    }
    if (!found_.empty()) return;
    refuse(operation_, "a tensor must be called like a query or key projection, or matched by IN.safetensors:PATTERN",
           matched.empty() ? "no tensor" : quote(matched.front().tensor().name) + " and others");
  }

  void check_part(const Found& each) const {
    if (!each.name || each.name->part != Part::other) return;
    refuse(operation_, "beside a projection must stand its weight, bias or LoRA: quantised weights are not converted",
           quote(each.tensor().name));
  }

  // One stack of layers, each with queries and keys: a layer of which one is moved alone no longer works. A pattern
  // says what else is meant.
  void check_stacks() const {
    if (!pattern_.empty()) return;
    struct Has {
      bool queries = false, keys = false;
    };
    std::set<std::string> stacks;
    std::map<std::string, Has> layers;
    for (const Found& each : found_) {
      stacks.insert(each.name->stack);
      if (is_norm(each)) continue;
      Has& layer = layers[each.name->layer];
      layer.queries |= each.name->module != Module::key;
      layer.keys |= each.name->module != Module::query;
    }
    if (stacks.size() > 1) {
      refuse(operation_, "projections must be of one stack of layers, or be matched by IN.safetensors:PATTERN",
             quote(*stacks.begin()) + " and " + quote(*std::next(stacks.begin())));
    }
    for (const auto& [layer, has] : layers) {
      if (has.queries && has.keys) continue;
      refuse(operation_, "queries and keys of a layer must both be found, or be matched by IN.safetensors:PATTERN",
             fmt::format("{} alone{}", has.queries ? "queries" : "keys", layer.empty() ? "" : " in " + quote(layer)));
    }
  }

  void check_types() const {
    constexpr std::string_view types[] = {"F32", "F64", "F16", "BF16"};
    for (const Found& each : found_) {
      const io::StoredTensor& tensor = each.tensor();
      if (std::ranges::find(types, tensor.type) != std::end(types)) continue;
      refuse(operation_, "rows must be F32, F64, F16 or BF16: quantised weights are not converted",
             fmt::format("{} of {}", tensor.type, quote(tensor.name)));
    }
  }

  // A norm, a bias or a scale of queries or keys that stays while their rows move spoils the model, whatever its name.
  void check_beside(const Checkpoint& checkpoint) const {
    if (!pattern_.empty()) return;
    std::set<std::string, std::less<>> layers;
    for (const Found& each : found_) layers.insert(each.name->layer);
    for (const Shard& shard : checkpoint.shards) {
      for (const io::StoredTensor& tensor : shard.file->header().tensors) {
        if (module_of(tensor.name) || !is_of_heads(tensor, layers)) continue;
        refuse(operation_,
               "a tensor beside the projections that may have columns of queries or keys must be a norm or bias of a "
               "known name, or what moves be matched by IN.safetensors:PATTERN",
               fmt::format("{} [{}]", quote(tensor.name), fmt::join(tensor.shape, ", ")));
      }
    }
  }

  // May the columns of queries and keys be its own, as a tensor of one of the modules?
  bool is_of_heads(const io::StoredTensor& tensor, const std::set<std::string, std::less<>>& layers) const {
    const std::string_view name = tensor.name;
    std::size_t start = 0;  // of the name in the module
    std::string_view layer;
    while (!layers.contains(layer)) {
      const std::size_t end = name.find('.', start);
      if (end == name.npos) return false;
      layer = name.substr(0, end), start = end + 1;
    }
    switch (beside_projections(name.substr(start))) {
      case Beside::of_rows: return std::ranges::any_of(tensor.shape, [&](auto size) { return are_heads(size); });
      case Beside::unknown: return is_module(layer) && is_table_of_heads(tensor.shape);
      default: return false;
    }
  }

  // Not a block with all that it has.
  static bool is_module(std::string_view layer) {
    return layer.find_first_not_of("0123456789", layer.rfind('.') + 1) != layer.npos;
  }

  bool are_heads(std::int64_t size) const { return size > 0 && size % *numbers_.head == 0; }

  // A vector of heads, or a row for each of something.
  bool is_table_of_heads(const std::vector<std::int64_t>& shape) const {
    if (!shape.empty() && shape.back() == *numbers_.head) return true;
    const auto wide = std::ranges::find_if(shape, [](auto size) { return size != 1; });
    return wide != shape.end() && are_heads(*wide) && std::all_of(wide + 1, shape.end(), [](auto s) { return s == 1; });
  }

  static bool is_latent(const Found& each) { return each.name && each.name->module == Module::latent_key; }

  // Columns of the compressed keys and values, then those of the key that turns.
  std::int64_t latent_rows(const Found& each) const {
    const std::vector<std::int64_t>& shape = each.tensor().shape;
    const std::int64_t rows = shape.empty() ? 0 : shape[0];
    if (rows >= numbers_.turned) return rows;
    refuse(operation_, fmt::format("{} must have the {} rows that turn", quote(each.tensor().name), numbers_.turned),
           std::to_string(rows));
  }

  // Of a head of queries; 0 where they are not its last ones.
  std::int64_t last_columns() const {
    if (!numbers_.convention) return numbers_.end == "last" ? numbers_.rotated.value_or(0) : 0;
    const std::vector<FieldText> fields = fields_of(*numbers_.convention);
    const auto where = std::ranges::find(fields, "where", &FieldText::name);
    if (where == fields.end() || where->value != "last") return 0;
    const Context any = {.length = 1, .centre = 0};  // how many turn depends on neither
    require(RotaryRows::check(*numbers_.convention, *numbers_.head, {.context = any}));
    return RotaryRows(*numbers_.convention, *numbers_.head, {.context = any}).width();
  }

  // Where keys are compressed, the last columns of a head turn, and their number is not that of any rows.
  void check_latent() {
    const auto latent = std::ranges::find_if(found_, is_latent);
    if (latent == found_.end()) return;
    numbers_.turned = last_columns();
    if (numbers_.turned > 0) return;
    refuse(operation_,
           fmt::format("beside {} the last columns of a head turn: --rotated and --rotated-end last, or --config must "
                       "say how many",
                       quote(latent->tensor().name)),
           numbers_.convention ? "a configuration that says otherwise" : "none");
  }

  bool is_norm(const Found& each) const {
    return each.name && (each.name->module == Module::query_norm || each.name->module == Module::key_norm);
  }

  std::int64_t head_of_first() const {
    for (const Found& each : found_) {
      const io::StoredTensor& tensor = each.tensor();
      if (!each.name || is_norm(each) || is_latent(each) || tensor.shape.empty()) continue;
      const std::int64_t rows = tensor.shape[0], heads = head_count(of_name(each));
      if (rows > 0 && rows % heads == 0) return rows / heads;
      refuse(operation_, fmt::format("the rows of {} must be those of {} heads", quote(tensor.name), heads),
             std::to_string(rows));
    }
    refuse(operation_, "--head must be given: no name says whose rows they are", "none");
  }

  // Of a projection that has a name.
  Projection of_name(const Found& each) const {
    using enum Holds;
    const std::int64_t h = numbers_.heads, g = numbers_.key_heads;
    switch (each.name->module) {
      case Module::query:
      case Module::query_norm: return {1, {{query, h}}};
      case Module::key:
      case Module::key_norm: return {1, {{key, g}}};
      default: break;
    }
    if (numbers_.fused) return *numbers_.fused;
    const Projection parts = {1, {{query, h}, {key, g}, {value, g}}},
                     groups = {g, {{query, h / g}, {key, 1}, {value, 1}}};
    const std::string& type = numbers_.model_type;
    switch (each.name->module) {
      case Module::in_parts: return parts;
      case Module::in_quarters:
        if (h == g && h % 4 == 0) return {4, {{query, h / 4}, {value, h / 4}, {key, h / 4}}};
        break;
      case Module::by_groups:  // with one key head both forms agree, and with as many as queries ChatGLM has groups too
        if (type.starts_with("bailing") || (type == "chatglm" && g != h)) return parts;
        if (g == 1 || g == h || type == "falcon") return groups;
        break;
      default:
        if (type == "internlm2") return groups;
        break;
    }
    refuse(operation_,
           fmt::format("--fused must say how the rows of {} stand: its name does not", quote(each.tensor().name)),
           "none");
  }

  // The forms that rows may have, most likely first.
  std::vector<Projection> forms_of(const Found& each) const {
    using enum Holds;
    if (!each.name) {
      std::vector<Projection> forms = {
          {1, {{query, numbers_.heads}}}, {1, {{key, numbers_.key_heads}}}, {1, {{query, 1}}}};
      if (numbers_.fused) forms.insert(forms.begin(), *numbers_.fused);
      return forms;
    }
    if (each.name->module == Module::query_norm) return {{1, {{query, 1}}}, of_name(each)};
    if (each.name->module == Module::key_norm) return {{1, {{key, 1}}}, of_name(each)};
    return {of_name(each)};
  }

  Projection projection_of(const Found& each) const {
    if (is_latent(each)) return {1, {{Holds::key, 1}}};
    const io::StoredTensor& tensor = each.tensor();
    const std::vector<Projection> forms = forms_of(each);
    const Sizes sizes = is_norm(each) ? Sizes::all : Sizes::first;  // the rows of a norm have one element each
    for (const Projection& form : forms) {
      if (has_rows(tensor.shape, head_count(form) * *numbers_.head, sizes)) return form;
    }
    std::vector<std::string> heads;
    for (const Projection& form : forms) heads.push_back(std::to_string(head_count(form)));
    const std::int64_t rows = tensor.shape.empty() ? 0 : tensor.shape[0];
    const bool may_be_grouped =
        numbers_.key_heads == numbers_.heads && rows % *numbers_.head == 0 && rows < numbers_.heads * *numbers_.head;
    refuse(operation_,
           fmt::format("{} must have the rows of {} heads of {} columns{}", quote(tensor.name), either(heads),
                       *numbers_.head, may_be_grouped ? "; --kv-heads states fewer heads of keys" : ""),
           fmt::format("[{}]", fmt::join(tensor.shape, ", ")));
  }

  std::string_view operation_;
  const std::string& pattern_;
  HeadNumbers& numbers_;
  std::vector<Found> found_;
};

}  // namespace

void select_rows(std::string_view operation, Checkpoint& checkpoint, const std::string& pattern, HeadNumbers& numbers) {
  Selection(operation, pattern, numbers).select(checkpoint);
}

}  // namespace posenc::tool
