// SPDX-License-Identifier: Apache-2.0
// Sources to results: all of them are checked before the first is run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "apps/posenc/cli/in_order.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/run/passes.h"
#include "apps/posenc/run/run.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Names the source that the problem is about, unless there is only one.
void require_of(const Run& run, const RunSource& source, std::optional<Problem> problem) {
  if (!problem) return;
  if (run.sources.size() > 1) problem->value += " in " + source.place();
  throw Error(*std::move(problem));
}

// The index of an element, an axis at a time.
std::vector<std::int64_t> place_of(std::int64_t element, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis]) place[axis] = element % shape[axis];
  return place;
}

void add_features(Run& run, const std::string& path) {
  run.arrays.push_back(io::read_npy(path));
  const io::Array& array = run.arrays.back();
  const std::size_t rank = array.shape.size();
  if (array.dtype != DType::f32 || rank < 2 || rank > 3 || std::ranges::find(array.shape, 0) != array.shape.end()) {
    refuse(run_verb.name,
           "--features must be f32 [channels, columns] and not empty, or several of them along a first axis",
           fmt::format("{} {} [{}]", quote(path), to_string(array.dtype), fmt::join(array.shape, ", ")));
  }
  const std::int64_t channels = array.shape[rank - 2], columns = array.shape[rank - 1];
  const std::int64_t count = rank == 3 ? array.shape[0] : 1;
  const auto* data = reinterpret_cast<const float*>(array.data.data());
  const std::span<const float> values(data, static_cast<std::size_t>(count * channels * columns));
  const auto strange = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (strange != values.end()) {
    throw Error({std::string(run_verb.name), "--features must be finite",
                 fmt::format("{} in {}", *strange, quote(path)), place_of(strange - values.begin(), array.shape)});
  }
  for (std::int64_t i = 0; i < count; ++i) {
    run.sources.push_back({{path, i + 1, ""}, {}, data + i * channels * columns, channels, columns});
  }
}

void check_kind(const Run& run) {
  const bool reads_features = std::holds_alternative<FeatureInput>(run.trained.model.transformer().source);
  if (reads_features && run.request.features.empty()) {
    refuse(run_verb.name, "the model reads features, so --features must be given", "texts");
  }
  if (!reads_features && !run.request.features.empty()) {
    refuse(run_verb.name, "the model reads texts, so texts must be given", "--features");
  }
}

void check_channels(const Transformer& model, const RunSource& source) {
  const std::int64_t channels = std::get<FeatureInput>(model.source).convolutions.front().weight.size(1);
  if (source.channels == channels) return;
  refuse(run_verb.name, fmt::format("--features must be [{}, columns] for this model", channels),
         fmt::format("[{}, {}] in {}", source.channels, source.columns, source.place()));
}

void check(const Run& run, const RunSource& source) {
  const Transformer& model = run.trained.model.transformer();
  if (source.empty()) {
    if (!run.trained.makes_text()) refuse(run_verb.name, "a text must not be empty", source.sentence.place());
    return;
  }
  if (source.features != nullptr) check_channels(model, source);
  if (run.trained.makes_text()) {
    const DecodingOptions options = decoding_options(run.trained, std::ssize(source.ids.ids), run.request.beams);
    require_of(run, source, check_generate(model, source.view(), {}, options));
    return;
  }
  const std::int64_t rows = source_rows(model, source.view());
  std::vector<float> out(static_cast<std::size_t>(rows * source_width(model)));
  require_of(run, source,
             check_encode_source(model, source.view(), {}, view(out.data(), {1, rows, source_width(model)})));
}

// One line of progress for sources on several threads.
class SharedProgress {
 public:
  explicit SharedProgress(std::int64_t sources) : sources_(sources) {}
  void add_tokens(std::int64_t count) {
    const std::lock_guard lock(mutex_);
    made_ += count;
    tell();
  }
  void end_source() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    tell();
  }

 private:
  void tell() { progress_.at(made_, sources_ == 1 ? std::nullopt : share_of(ended_, sources_)); }

  std::mutex mutex_;
  Progress progress_{run_verb.name, "tokens"};
  std::int64_t sources_, ended_ = 0, made_ = 0;
};

std::vector<float> mean_of(std::span<const float> rows, std::int64_t width) {
  std::vector<double> sums(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % sums.size()] += static_cast<double>(rows[i]);
  std::vector<float> mean;
  const double count = static_cast<double>(rows.size()) / static_cast<double>(width);
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / count));
  return mean;
}

RunResult made_of(const Run& run, const RunSource& source, SharedProgress& progress) {
  RunResult result;
  if (source.empty()) {
    result.decoded.ended = true;
    return result;
  }
  const std::vector<float> memory = encoder_rows(run.trained, source.view(), source.place());
  if (!run.trained.makes_text()) {
    const std::int64_t width = source_width(run.trained.model.transformer());
    result.vector = mean_of(memory, width);
    result.rows = std::ssize(memory) / width;
    progress.add_tokens(result.rows);
    return result;
  }
  const DecodingOptions options = decoding_options(run.trained, std::ssize(source.ids.ids), run.request.beams);
  std::int64_t told = 0;
  const auto watch = [&](const DecodingStep& step) { progress.add_tokens(step.made - std::exchange(told, step.made)); };
  result.decoded = make_tokens(run.trained, memory, options, source.place(), watch);
  return result;
}

}  // namespace

std::string RunSource::place() const {
  return features == nullptr ? sentence.place() : fmt::format("array {} of {}", sentence.line, quote(sentence.source));
}

ConstView RunSource::view() const {
  if (features != nullptr) return posenc::view(features, {1, channels, columns});
  return posenc::view(ids.ids.data(), {1, std::ssize(ids.ids)});
}

void read_sources(Run& run) {
  check_kind(run);
  for (const Sentence& sentence : run.request.sentences) run.sources.push_back({sentence});
  run.arrays.reserve(run.request.features.size());
  for (const std::string& path : run.request.features) add_features(run, path);
  auto read = [&](std::int64_t i) {
    RunSource& source = run.sources[static_cast<std::size_t>(i)];
    const Sentence& sentence = source.sentence;
    if (source.features == nullptr && !source.empty()) {
      source.ids = source_ids(run.trained, sentence.text, sentence.place(), run.request.unknown);
    }
    check(run, source);
  };
  Threads threads(run.request.threads);
  in_order(threads.executor(), std::ssize(run.sources), read);
}

std::int64_t Run::tokens() const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    count += trained.makes_text() ? std::ssize(results[i].decoded.ids) : results[i].rows;
  }
  return count;
}

void work(Run& run) {
  const auto began = std::chrono::steady_clock::now();
  run.results.resize(run.sources.size());
  SharedProgress progress(std::ssize(run.sources));
  Threads threads(run.request.threads);
  auto make = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    run.results[at] = made_of(run, run.sources[at], progress);
    progress.end_source();
  };
  in_order(threads.executor(), std::ssize(run.sources), make);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace posenc::tool
