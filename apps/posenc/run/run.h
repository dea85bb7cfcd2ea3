// SPDX-License-Identifier: Apache-2.0
// What posenc run is asked for, what a model made of it, and how that is told.
#pragma once

#include <posenc/io/npy.h>

#include "apps/posenc/cli/request.h"
#include "apps/posenc/picture/attention_picture.h"
#include "apps/posenc/run/texts.h"
#include "apps/posenc/run/trained.h"

namespace posenc::tool {

struct RunRequest {
  std::string model;
  Placed placed = Placed::with;
  std::int64_t beams = 1;
  std::vector<Sentence> sentences;
  std::vector<std::string> features;  ///< files of them
  Targets targets;
  std::optional<std::int64_t> head;  ///< of the picture
  bool mean = false;                 ///< the picture is of the mean alone
  Unknown unknown = Unknown::refused;
  bool json = false;
  int threads = 1;
};

/// One text or one array of features, as the model reads it.
struct RunSource {
  Sentence sentence;                ///< of features: the file, which array of it, no text
  SourceIds ids = {};               ///< of a text
  const float* features = nullptr;  ///< [channels, columns], or none
  std::int64_t channels = 0, columns = 0;

  bool empty() const { return features == nullptr && sentence.text.empty(); }
  std::string place() const;  ///< for messages
  ConstView view() const;     ///< one sequence
};

/// What the model made of one source.
struct RunResult {
  Decoded decoded = {};       ///< of a model that makes text
  std::vector<float> vector;  ///< of one that does not: the mean of its rows
  std::int64_t rows = 0;      ///< of those
};

struct Run {
  RunRequest request;
  Trained trained;
  std::vector<io::Array> arrays;  ///< of --features
  std::vector<RunSource> sources;
  std::vector<RunResult> results;  ///< one a source
  double seconds = 0;              ///< that the model took

  /// That the model made, or of a model that makes no text, read.
  std::int64_t tokens() const;
};

/// Reads the sources and checks that the model can take every one of them.
void read_sources(Run& run);
/// Runs the model on all sources, on as many threads as the request says; results stand in their order.
void work(Run& run);

/// Lines of text, or what is to be known of vectors.
std::string run_screen(const Run& run);
std::string run_json(const Run& run);
/// What became of unknown tokens, and outputs that were cut.
std::vector<std::string> run_notes(const Run& run);
/// Refuses what cannot be drawn: anything but one text, a head or layers that are not there.
void check_picture(const Run& run);
/// The last layer's attention to the only source.
std::string run_picture(const Run& run);

}  // namespace posenc::tool
