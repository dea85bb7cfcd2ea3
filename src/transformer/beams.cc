// SPDX-License-Identifier: Apache-2.0
// Beam search of one sequence.
#include "src/transformer/beams.h"

#include "src/transformer/kernels/activations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc {

void Beams::suppress(float* row) const {
  constexpr float never = -std::numeric_limits<float>::infinity();
  for (const std::int64_t id : options_.suppressed) row[id] = never;
  if (made_ > 0) return;
  for (const std::int64_t id : options_.suppressed_first) row[id] = never;
}

// The `beams` candidates of largest sum; of equal ones the one met first stays. NaN and what is suppressed are none.
std::vector<Beams::Candidate> Beams::best(float* logits, std::int64_t stride, std::int64_t vocabulary) const {
  const auto most = static_cast<std::size_t>(options_.beams);
  std::vector<Candidate> found;
  found.reserve(most + 1);
  for (std::size_t parent = 0; parent < live_.size(); ++parent) {
    float* row = logits + static_cast<std::int64_t>(parent) * stride;
    suppress(row);
    const double base = live_[parent].sum - kernels::log_sum_exp(row, vocabulary);
    double limit = found.size() == most ? found.back().sum : -std::numeric_limits<double>::infinity();
    for (std::int64_t id = 0; id < vocabulary; ++id) {
      const double sum = base + static_cast<double>(row[id]);
      if (!(sum > limit)) continue;
      const Candidate candidate = {sum, static_cast<std::int64_t>(parent), id};
      const auto behind = [](const Candidate& a, const Candidate& b) { return a.sum > b.sum; };
      found.insert(std::upper_bound(found.begin(), found.end(), candidate, behind), candidate);
      if (found.size() > most) found.pop_back();
      if (found.size() == most) limit = found.back().sum;
    }
  }
  return found;
}

double Beams::score(double sum, std::int64_t made) const {
  return options_.length_penalty == 0 ? sum : sum / std::pow(static_cast<double>(made), options_.length_penalty);
}

void Beams::step(float* logits, std::int64_t stride, std::int64_t vocabulary) {
  const std::vector<Candidate> found = best(logits, stride, vocabulary);
  if (found.empty()) {  // no logit is a number
    over_ = true;
    return;
  }
  ++made_;
  std::vector<Live> next;
  next.reserve(found.size());
  for (const Candidate& candidate : found) {
    Live made = {live_[static_cast<std::size_t>(candidate.parent)].ids, candidate.sum, candidate.parent};
    if (candidate.id != options_.end) {
      made.ids.push_back(candidate.id);
      next.push_back(std::move(made));
    } else if (!ended_ || score(candidate.sum, made_) > ended_score_) {
      ended_score_ = score(candidate.sum, made_);
      ended_ = std::move(made);
    }
  }
  live_ = std::move(next);
  over_ = decided();
}

// Sums only fall, so a live one scores best by ending next, or, where length is a merit, by falling no further.
bool Beams::decided() const {
  if (live_.empty() || made_ >= options_.longest) return true;
  const double sum = live_.front().sum;
  return ended_ && std::max(score(sum, made_ + 1), score(sum, options_.longest)) <= ended_score_;
}

Decoded Beams::result() const {
  if (ended_) return {ended_->ids, ended_->sum, true};
  return {live_.front().ids, live_.front().sum, false};
}

}  // namespace posenc
