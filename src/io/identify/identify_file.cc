// SPDX-License-Identifier: Apache-2.0
// The tensors of a file that speak of positions, one by one, and what stands beside them.
#include <posenc/io/identify_file.h>
#include <posenc/rotary_cache.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <charconv>

#include "src/base/environment.h"
#include "src/spec/write_fields.h"

namespace posenc::io {
namespace {

// ---- which tensors ------------------------------------------------------------------------------------------------

// Words of names by which models call what belongs to positions; a word may go on behind those of `beginnings`.
constexpr std::string_view position_words[] = {"pos", "pe",    "wpe",   "rope",   "freq",     "freqs",   "sin",
                                               "cos", "alibi", "slope", "slopes", "relative", "periods", "timing"};
constexpr std::string_view beginnings[] = {"position", "posemb", "posenc", "rotary", "rotemb", "sinus", "timescale"};

// "model.layers.0.self_attn.rotary_emb.inv_freq" has the words rotary and freq; post_attention_layernorm has no such.
bool is_named_after_positions(std::string_view name) {
  std::string word;
  const auto speaks = [&] {
    return std::ranges::find(position_words, word) != std::end(position_words) ||
           std::ranges::any_of(beginnings, [&](std::string_view first) { return word.starts_with(first); });
  };
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z')) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (speaks()) return true;
    word.clear();
  }
  return speaks();
}

std::vector<TensorEntry> chosen(const TensorFiles& files, const std::string& tensor) {
  if (!tensor.empty()) return {files.tensor(tensor)};
  constexpr std::size_t few = 16;
  std::vector<TensorEntry> all = files.tensors();
  if (all.size() > few)
    std::erase_if(all, [](const TensorEntry& each) { return !is_named_after_positions(each.name); });
  return all;
}

// The first of positions that go on by 1 along the last axis, as position_ids of BERT (0) and of RoBERTa (2).
std::optional<std::int64_t> first_position(const ConstView& tensor) {
  if (!is_integer(tensor.dtype) || tensor.rank == 0 || tensor.size(-1) < 2) return std::nullopt;
  const auto value = [&](std::int64_t i) -> std::int64_t {
    return tensor.dtype == DType::i64 ? static_cast<const std::int64_t*>(tensor.data)[i]
                                      : static_cast<const std::int32_t*>(tensor.data)[i];
  };
  const std::int64_t first = value(0);
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    const bool begins = i % tensor.size(-1) == 0;
    if (begins ? value(i) != first : value(i) <= value(i - 1) || value(i - 1) != value(i) - 1) return std::nullopt;
  }
  return first;
}

// What is wanted of a file: one tensor, whose problems are those of the call, or several.
enum class Wanted : std::uint8_t { one = 1, several };

TensorIdentification identified(const TensorFiles& files, const TensorEntry& entry, Wanted wanted,
                                const IdentifyOptions& options) {
  TensorIdentification made = {entry.name, entry.type, entry.shape, std::nullopt, ""};
  if (entry.dtype == DType{} && wanted == Wanted::several) {
    made.note = "elements of this type are not read";
    return made;
  }
  const TensorMap tensor = files.map(entry.name);
  ReadingExecutor reading(options.executor, tensor);
  IdentifyOptions read = options;
  read.executor = reading.executor();
  if (const auto problem = check_identify(tensor.view(), options); problem && wanted == Wanted::several)
    made.note = problem->rule;
  if (const auto first = first_position(tensor.view())) {
    made.note = "positions, counted from " + std::to_string(*first);
  }
  if (!made.note.empty()) return made;
  made.found = identify(tensor.view(), read);
  tensor.require_unchanged();
  return made;
}

// ---- GGUF -----------------------------------------------------------------------------------------------------------

std::string text_of(const GgufScalar& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  return std::to_string(std::get<std::int64_t>(value));
}

std::string text_of(const GgufEntry& entry) {
  if (const auto* scalar = std::get_if<GgufScalar>(&entry.value)) return text_of(*scalar);
  constexpr std::size_t most = 8;
  const auto& array = std::get<GgufArray>(entry.value);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, array.items.size()); ++i) {
    text += (i > 0 ? ", " : "") + text_of(array.items[i]);
  }
  return "[" + text + (array.count > most ? ", .. " + std::to_string(array.count) + " of them]" : "]");
}

bool speaks_of_positions(std::string_view key, std::string_view architecture) {
  constexpr std::string_view keys[] = {"context_length", "embedding_length", "attention.head_count",
                                       "attention.key_length", "attention.sliding_window"};
  if (!key.starts_with(architecture) || key.size() <= architecture.size() + 1) return false;
  key.remove_prefix(architecture.size() + 1);
  return key.starts_with("rope.") || key.starts_with("attention.temperature_") || key.find("alibi") != key.npos ||
         std::ranges::find(keys, key) != std::end(keys);
}

// The row that a rotation is, or is nearest to: how a program stores its cosines and sines is no part of that.
void name_rotation(GgufPositions& made) {
  const auto plain = [](const Convention& convention) { return with_field(convention, "stored", "none"); };
  const Convention rotation = plain(*made.rotation);
  const Preset* nearest = nullptr;
  for (const Preset& row : presets()) {
    if (check_use("identify", ConventionUse::rotations, row.convention)) continue;
    std::vector<std::string> found = differences(rotation, plain(row.convention));
    if (nearest != nullptr && found.size() >= made.differences.size()) continue;
    nearest = &row;
    made.differences = std::move(found);
  }
  made.preset = nearest->name;
}

GgufPositions positions_of(const GgufHeader& header) {
  GgufPositions made;
  if (const auto problem = check_rope_of(header)) {
    made.note = problem->rule;
    return made;
  }
  const GgufRope rope = rope_of(header);
  made.architecture = rope.architecture;
  for (const GgufEntry& each : header.metadata) {
    if (speaks_of_positions(each.key, rope.architecture)) made.keys.push_back({each.key, text_of(each)});
  }
  made.rotation = rotation_of(rope);
  made.sliding = sliding_rotation_of(rope);
  made.unread = rope.unread;
  if (!made.rotation) made.note = "these keys alone do not say which pairs turn, or by which frequencies";
  return made;
}

// The frequencies of one rotation in the pairs of another; nothing where these are no frequencies of a rotation.
std::optional<Convention> scaled_as(const Convention& frequencies, const Convention& pairs) {
  const std::vector<FieldText> fields = fields_of(pairs);
  std::vector<FieldChange> changes;
  for (const std::string_view name : {"pairing", "part"}) {
    const std::string& value = std::ranges::find(fields, name, &FieldText::name)->value;
    std::int64_t columns = 0;
    const bool number = std::from_chars(value.data(), value.data() + value.size(), columns).ec == std::errc{};
    changes.push_back({name, number ? FieldValue(columns) : FieldValue(value)});
  }
  if (check_changes(frequencies, changes)) return std::nullopt;
  return with_fields(frequencies, changes);
}

// rope_freqs.weight has a divisor for the frequency of each pair; the quotients tell which scaling that is.
void identify_divided(const TensorFiles& files, TensorIdentification& made, GgufPositions& gguf,
                      const IdentifyOptions& options) {
  const std::int64_t pairs = made.shape.size() == 1 ? made.shape[0] : 0;
  const TensorEntry& entry = files.tensor(made.name);
  if (entry.dtype != DType::f32 || pairs == 0 || !gguf.rotation) return;
  const Convention whole = with_fields(*gguf.rotation, {{"part", "all"}, {"stored", "complex"}});
  if (RotaryCache::check(whole, 2 * pairs)) return;
  std::vector<double> quotients = RotaryCache(whole, 2 * pairs).frequencies();
  const Array divisors = files.read(made.name);
  const auto* divisor = reinterpret_cast<const float*>(divisors.data.data());
  for (std::size_t k = 0; k < quotients.size(); ++k) quotients[k] /= static_cast<double>(divisor[k]);
  const ConstView list = view(std::as_const(quotients).data(), {pairs});
  if (check_identify(list, options)) return;
  made.found = identify(list, options);
  made.note = "divides the frequencies that the metadata state; identified are the quotients";
  const Convention pairing = *gguf.rotation;
  gguf.rotation.reset();
  if (!made.found->candidates.empty()) gguf.rotation = scaled_as(made.found->candidates.front().convention, pairing);
  if (!gguf.rotation) gguf.note = made.name + " divides its frequencies by numbers of no scaling that is known";
}

}  // namespace

FileIdentification identify_file(const std::string& path, const IdentifyFileOptions& options) {
  const DefaultEnvironment environment;
  const TensorFiles files(path);
  const std::vector<TensorEntry> entries = chosen(files, options.tensor);
  const Wanted wanted = !options.tensor.empty() || files.tensors().size() == 1 ? Wanted::one : Wanted::several;
  FileIdentification made;
  made.file = path;
  if (options.tensor.empty()) made.others = std::ssize(files.tensors()) - std::ssize(entries);
  if (files.gguf() != nullptr) made.gguf = positions_of(*files.gguf());
  for (const TensorEntry& entry : entries) {
    if (options.watch) options.watch(std::ssize(made.tensors), std::ssize(entries));
    if (made.gguf && entry.name == "rope_freqs.weight") {
      made.tensors.push_back({entry.name, entry.type, entry.shape, std::nullopt, ""});
      identify_divided(files, made.tensors.back(), *made.gguf, options.identify);
      if (made.tensors.back().found) continue;
      made.tensors.pop_back();
    }
    made.tensors.push_back(identified(files, entry, wanted, options.identify));
  }
  if (made.gguf && made.gguf->rotation) name_rotation(*made.gguf);
  if (made.others > 0) {
    made.notes.push_back(std::to_string(entries.size()) + " of " + std::to_string(files.tensors().size()) +
                         " tensors, those named after positions; FILE:TENSOR names any other one");
  }
  if (!files.config().empty() && options.tensor.empty()) {
    const std::string text = read_file(files.config(), json_byte_limit);
    const InspectOptions named = {.source = files.config()};
    if (const auto problem = check_inspect(text, named)) {
      made.notes.push_back(problem->message());
    } else {
      made.config = inspect(text, named);
    }
  }
  return made;
}

}  // namespace posenc::io
