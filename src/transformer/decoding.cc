// SPDX-License-Identifier: Apache-2.0
// Decoding: the prompt, then a step a token, all sequences and beams at once.
#include <posenc/transformer/decoding.h>

#include "src/base/blocks.h"
#include "src/transformer/beams.h"
#include "src/transformer/matrices.h"
#include "src/transformer/model_rules.h"
#include "src/transformer/rows.h"
#include "src/transformer/rules.h"

namespace posenc {
namespace {

constexpr std::int64_t most_beams = 1024;
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;  // far beyond memory; sums of them fit

// Tokens whose rows are made: all but the last one.
std::int64_t tokens_read(const DecodingOptions& options) {
  return static_cast<std::int64_t>(options.prompt.size()) + std::max<std::int64_t>(1, options.longest) - 1;
}

// ---- rules --------------------------------------------------------------------------------------

void state_suppressed(Match& m, const DecodingOptions& options, std::int64_t vocabulary) {
  m.below("suppressed", options.suppressed, vocabulary);
  m.below("suppressed_first", options.suppressed_first, vocabulary);
  if (!m.ok()) return;
  std::vector<bool> never(static_cast<std::size_t>(vocabulary));
  for (const std::int64_t id : options.suppressed) never[static_cast<std::size_t>(id)] = true;
  for (const std::int64_t id : options.suppressed_first) never[static_cast<std::size_t>(id)] = true;
  m.must(std::ranges::count(never, false) > 0, {"suppressed and suppressed_first must leave a token"},
         {"all ", vocabulary});
}

void state_options(Match& m, const Transformer& model, const DecodingOptions& options) {
  const std::int64_t made = rows_of(model.output->weight), read = model.target->stage.embedding().rows.size(0);
  m.must(!options.prompt.empty(), {"prompt must have a token"}, {"none"});
  m.below("prompt", options.prompt, read);
  m.below("end", options.end, made);
  m.must(options.longest >= 0 && options.longest <= most_tokens, {"longest must be in [0, 2^40]"}, {options.longest});
  m.within("beams", options.beams, 1, most_beams);
  m.finite("length_penalty", options.length_penalty);
  state_suppressed(m, options, made);
}

// A table of positions ends; `origin` tokens before the first one are left out.
void state_positions_left(Match& m, const Transformer& model, const DecodingOptions& options) {
  const std::optional<std::int64_t> rows = model.target->stage.positions();
  if (!m.ok() || !rows || options.longest == 0) return;
  const std::int64_t origin = model.target->origin, last = tokens_read(options) - 1;
  m.must(origin >= 0 && origin <= *rows - 1 - last,
         {"prompt and longest must stay inside the table of positions, which has rows 0 to ", *rows - 1},
         {"tokens from ", origin, " on, ", std::ssize(options.prompt), " of the prompt and ", options.longest - 1,
          " made before the last"});
}

void state_search(Match& m, const Transformer& model, std::int64_t batch, const DecodingOptions& options) {
  if (!m.ok()) return;
  state_options(m, model, options);
  state_positions_left(m, model, options);
  for (const DecoderLayer& layer : model.decoder->layers) {
    m.also([&] { return KeyValues::check(layer.self_attention, batch * options.beams, tokens_read(options)); });
  }
}

// ---- steps --------------------------------------------------------------------------------------

// The model between steps: what it has read, and the logits after the last token of each sequence.
class Reader {
 public:
  Reader(const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths,
         const DecodingOptions& options)
      : model_(model),
        options_(options),
        batch_(memory.size(0)),
        cache_(*model.decoder, memory, lengths, tokens_read(options), options.executor),
        width_(model.target->stage.width()),
        vocabulary_(rows_of(model.output->weight)),
        logits_(floats(batch_ * options.beams * vocabulary_)) {}

  std::int64_t vocabulary() const { return vocabulary_; }
  /// Rows of a sequence, `each` of them, one after another.
  float* logits(std::int64_t sequence) const { return logits_.data() + sequence * each_ * vocabulary_; }
  ConstView all_logits() const { return view(logits_.data(), {batch_, each_, vocabulary_}); }

  void read_prompt() {
    std::vector<std::int64_t> ids;
    for (std::int64_t b = 0; b < batch_; ++b) ids.insert(ids.end(), options_.prompt.begin(), options_.prompt.end());
    read(ids, static_cast<std::int64_t>(options_.prompt.size()));
  }

  /// One token a live hypothesis. Places without one go on from the first, so that all sequences have as many.
  void read_tokens(std::span<const Beams> sequences) {
    std::vector<std::int64_t> ids, from;
    for (std::int64_t b = 0; b < batch_; ++b) {
      const Beams& sequence = sequences[static_cast<std::size_t>(b)];
      for (std::size_t place = 0; place < static_cast<std::size_t>(options_.beams); ++place) {
        const bool lives = !sequence.over() && place < sequence.live().size();
        ids.push_back(lives ? sequence.live()[place].ids.back() : options_.prompt.front());
        from.push_back(b * each_ + (lives ? sequence.live()[place].parent : 0));
      }
    }
    each_ = options_.beams;
    if (each_ > 1) cache_.reorder_checked(from);
    read(ids, 1);
  }

 private:
  // The logits after the last of `tokens` new ones of each sequence.
  void read(std::span<const std::int64_t> ids, std::int64_t tokens) {
    const std::int64_t count = batch_ * each_;
    const Floats memory = floats(count * tokens * width_);
    const View rows = view(memory.data(), {count, tokens, width_});
    detail::input_rows(*model_.target, view(ids.data(), {count, tokens}), cache_.length(), rows, options_.executor);
    detail::decode(*model_.decoder, rows, cache_, rows, options_.executor);
    const ConstView last = {
        memory.data() + (tokens - 1) * width_, DType::f32, 2, {count, width_}, {tokens * width_, 1}};
    detail::linear(*model_.output, last, view(logits_.data(), {count, vocabulary_}), options_.executor);
  }

  const Transformer& model_;
  const DecodingOptions& options_;
  std::int64_t batch_, each_ = 1;
  DecoderCache cache_;
  std::int64_t width_, vocabulary_;
  Floats logits_;
};

bool all_over(std::span<const Beams> sequences) {
  return std::all_of(sequences.begin(), sequences.end(), [](const Beams& of) { return of.over(); });
}

}  // namespace

std::vector<Decoded> detail::generate_from_memory(const Transformer& model, const ConstView& memory,
                                                  const std::optional<ConstView>& lengths,
                                                  const DecodingOptions& options, const DecodingWatch& watch) {
  const DefaultEnvironment environment;
  std::vector<Beams> sequences(static_cast<std::size_t>(memory.size(0)), Beams(options));
  if (options.longest > 0 && !sequences.empty()) {
    Reader reader(model, memory, lengths, options);
    reader.read_prompt();
    for (std::int64_t made = 0;; ++made) {
      if (watch) watch({made, options.longest, reader.all_logits()});
      for (std::size_t b = 0; b < sequences.size(); ++b) {
        if (sequences[b].over()) continue;
        sequences[b].step(reader.logits(static_cast<std::int64_t>(b)), reader.vocabulary(), reader.vocabulary());
      }
      if (all_over(sequences)) break;
      reader.read_tokens(sequences);
    }
  }
  std::vector<Decoded> results;
  results.reserve(sequences.size());
  for (const Beams& sequence : sequences) results.push_back(sequence.result());
  return results;
}

std::vector<Decoded> detail::generate(const Transformer& model, const ConstView& source,
                                      const std::optional<ConstView>& lengths, const DecodingOptions& options,
                                      const DecodingWatch& watch) {
  const std::int64_t batch = source.size(0), rows = source_rows(model, source), width = source_width(model);
  const Floats memory = floats(batch * rows * width);
  const View states = view(memory.data(), {batch, rows, width});
  detail::encode_source(model, source, lengths, states, options.executor);
  return detail::generate_from_memory(model, states, lengths, options, watch);
}

std::optional<Problem> check_generate_from_memory(const Transformer& model, const ConstView& memory,
                                                  const std::optional<ConstView>& lengths,
                                                  const DecodingOptions& options) {
  Match m("generate_from_memory");
  state_decodes(m, model);
  state_memory(m, model, memory, lengths);
  state_search(m, model, m["B"], options);
  return m.problem();
}

std::optional<Problem> check_generate(const Transformer& model, const ConstView& source,
                                      const std::optional<ConstView>& lengths, const DecodingOptions& options) {
  Match m("generate");
  state_decodes(m, model);
  if (std::holds_alternative<TokenInput>(model.source)) {
    m.tensor("source", source, Types::integer, "[B, L]");
  } else {
    m.tensor("source", source, Types::f32, "[B, channels, T]");
  }
  m.also([&] {
    const View states = rows_to_come(m["B"], source_rows(model, source), source_width(model));
    return check_encode_source(model, source, lengths, states);
  });
  state_search(m, model, m["B"], options);
  return m.problem();
}

}  // namespace posenc
