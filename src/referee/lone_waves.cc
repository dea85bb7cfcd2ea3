// SPDX-License-Identifier: Apache-2.0
// Any wave x of frequency w keeps x_(i - n) + x_(i + n) = 2 cos(n w) x_i: fast waves tell their frequencies so, then
// their size and where they begin; with both, each entry of a slow wave tells an angle.
#include "src/referee/lone_waves.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/referee/arc.h"
#include "src/referee/ladder_line.h"

namespace posenc::referee {
namespace {

// Of a wave, and how far off it may be.
struct Size {
  double value, off;
};

class LoneWave {
 public:
  LoneWave(const Reading& reading, const WaveColumns& wave, std::size_t extent, const Tolerance& tolerance)
      : is_sine_(wave.sine >= 0), noise_(tolerance.noise + 0x1p-22) {
    const std::int64_t column = is_sine_ ? wave.sine : wave.cosine;
    const double sign = is_sine_ ? wave.sine_sign : wave.cosine_sign;
    // Of a long tensor the first places tell enough, and the others need not be read.
    constexpr std::int64_t most_places = 1024;
    const std::int64_t count = std::min(reading.extents[extent], most_places);
    for (std::int64_t i = 0; i < count; ++i) {
      entries_.push_back(sign * reading.at(place_along(reading, extent, i), column));
      size_ = std::max(size_, std::abs(entries_.back()));
    }
  }

  std::int64_t count() const { return std::ssize(entries_); }
  double at(std::int64_t i) const { return entries_[static_cast<std::size_t>(i)]; }
  KnownWave::Known known() const { return is_sine_ ? KnownWave::Known::sine : KnownWave::Known::cosine; }

  /// From steps of one place to those of half the places.
  Frequency frequency() {
    Frequency w = unknown_frequency;
    if (is_sine_ && size_ == 0 && count() > 1) return {0, noise_ / static_cast<double>(count() - 1)};
    for (std::int64_t n = 1; 2 * n < count(); n *= 2) {
      const Frequency cosine = cosine_of_steps(n);
      if (std::isnan(cosine.value) || (n == 1 && !settle_noise(cosine))) break;
      const double c = std::clamp(cosine.value, -1.0, 1.0), s = std::sqrt(1 - c * c), steps = static_cast<double>(n);
      // The slope of the arc cosine is 1 / s, and its root at the ends.
      const double off = std::min(cosine.off / s, 2 * std::sqrt(cosine.off)), angle = arc(s, c);
      if (n == 1) {
        w = {angle, off};
        continue;
      }
      if (w.off * steps > 1) break;
      const Frequency finer = {nearest(angle, -angle, steps * w.value) / steps, off / steps};
      if (finer.off < w.off) w = finer;
    }
    return w;
  }

  /// From x_i^2 + x_(i + n)^2 - 2 x_i x_(i + n) cos(n w) = (size sin(n w))^2, at the n whose sine is largest.
  std::optional<Size> amplitude(const Frequency& w) const {
    std::int64_t best = 0;
    double largest = 0.3;
    for (std::int64_t n = 1; 2 * n < count(); n *= 2) {
      const double s = std::abs(point_at(static_cast<double>(n) * w.value).sine);
      if (s > largest) largest = s, best = n;
    }
    if (best == 0) return std::nullopt;
    const auto [s, c] = point_at(static_cast<double>(best) * w.value);
    double sum = 0;
    for (std::int64_t i = 0; i + best < count(); ++i) {
      const double x = at(i), y = at(i + best);
      sum += x * x + y * y - 2 * x * y * c;
    }
    const double square = sum / static_cast<double>(count() - best) / (s * s);
    if (!(square > 0)) return std::nullopt;
    const double size = std::sqrt(square), off = 4 * noise_ + 2 * static_cast<double>(best) * w.off;
    return Size{size, size * off / (s * s)};
  }

  /// The frequency near `coarse` of a wave of a known size whose first place has a known coordinate.
  Frequency refined(Frequency coarse, double amplitude, double first) const {
    Frequency w = coarse;
    for (std::int64_t i = 0; i < count();) {
      const double x = first + static_cast<double>(i);
      if (x > 0) {
        if (w.off * x > 1) break;
        const double value = std::clamp(at(i) / amplitude, -1.0, 1.0), rest = std::sqrt(1 - value * value);
        const double off = 2 * noise_ + std::min(2 * noise_ / rest, std::sqrt(4 * noise_));
        const double angle = is_sine_ ? arc(value, rest) : arc(rest, value);
        const double near = nearest(angle, is_sine_ ? pi - angle : -angle, x * w.value);
        if (off / x < w.off) w = {near / x, off / x};
      }
      i = i < 1 ? i + 1 : i < count() - 1 ? std::min(2 * i, count() - 1) : count();
    }
    return w;
  }

 private:
  // Whichever of two angles is nearer to a guess, with whole turns.
  static double nearest(double one, double other, double guess) {
    const double a = wrapped(one - guess), b = wrapped(other - guess);
    return guess + (std::abs(a) <= std::abs(b) ? a : b);
  }

  // cos(n w), by least squares.
  Frequency cosine_of_steps(std::int64_t n) const {
    double products = 0, squares = 0;
    for (std::int64_t i = n; i + n < count(); ++i) {
      const double x = at(i);
      products += x * (at(i - n) + at(i + n)), squares += x * x;
    }
    if (!(squares > 0)) return unknown_frequency;
    // Each of the three entries of a product is off by as much, and errors of one sign add up.
    const double rows = static_cast<double>(count() - 2 * n);
    return {products / (2 * squares), 2 * noise_ * size_ * std::sqrt(rows / squares)};
  }

  // Far from 0 entries are off by what f32 leaves of their angles: by how much, a few places tell. Does a wave remain?
  bool settle_noise(const Frequency& cosine) {
    constexpr std::int64_t few = 64;
    const std::int64_t last = std::min(few, count()) - 1;
    double most = 0;
    for (std::int64_t i = 1; i < last; ++i) {
      most = std::max(most, std::abs(at(i - 1) + at(i + 1) - 2 * cosine.value * at(i)));
    }
    constexpr double no_wave = 0.01;
    if (most > (8 * noise_ + 4 * cosine.off + no_wave) * size_) return false;
    if (size_ > 0) noise_ = std::max(noise_, most / (2 * size_));
    return true;
  }

  std::vector<double> entries_;
  bool is_sine_;
  double noise_, size_ = 0;
};

std::vector<LoneWave> lone_waves(const Reading& reading, std::span<const WaveColumns> waves, std::size_t extent,
                                 const Tolerance& tolerance) {
  std::vector<LoneWave> all;
  for (const WaveColumns& wave : waves) all.emplace_back(reading, wave, extent, tolerance);
  return all;
}

// The one that is known best; sizes of columns are one.
std::optional<Size> best_amplitude(const std::vector<LoneWave>& waves, const std::vector<Frequency>& frequencies) {
  Size best = {0, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < waves.size(); ++k) {
    if (std::isnan(frequencies[k].value)) continue;
    const auto size = waves[k].amplitude(frequencies[k]);
    if (size && size->off < best.off) best = *size;
  }
  if (!(best.off < 0.1 * best.value)) return std::nullopt;
  return best;
}

// The coordinate of the first place, from the waves that are known well: a whole number where one is near.
std::optional<double> first_coordinate(const std::vector<LoneWave>& waves, const std::vector<Frequency>& frequencies,
                                       double amplitude, const Tolerance& tolerance) {
  constexpr double most = 0x1p22;
  double best = 0.02;
  for (const Frequency& w : frequencies) {
    if (w.off < best * w.value) best = w.off / w.value;
  }
  const double well = std::max(1e-4, 4 * best);
  std::vector<KnownWave> seen;
  Tolerance looser = tolerance;
  looser.noise += 0x1p-22;
  for (std::size_t k = 0; k < waves.size(); ++k) {
    const Frequency& w = frequencies[k];
    if (!(w.off < well * w.value)) continue;
    seen.push_back({w.value, waves[k].known(), waves[k].at(0) / amplitude});
    looser.drift = std::max(looser.drift, w.off / w.value);
  }
  for (const Coordinate& each : coordinates_of(seen, looser, most)) {
    const double whole = std::rint(each.value) + 0.0;  // not -0
    if (whole >= 0 && std::abs(each.value - whole) <= each.tolerance) return whole;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> lone_amplitude(const Reading& reading, std::span<const WaveColumns> waves, std::size_t extent,
                                     const Tolerance& tolerance) {
  std::vector<LoneWave> all = lone_waves(reading, waves, extent, tolerance);
  std::vector<Frequency> frequencies;
  for (LoneWave& wave : all) frequencies.push_back(wave.frequency());
  const auto amplitude = best_amplitude(all, frequencies);
  return amplitude ? std::optional(amplitude->value) : std::nullopt;
}

std::vector<Frequency> lone_frequencies(const Reading& reading, std::span<const WaveColumns> waves, std::size_t extent,
                                        double scale, const Tolerance& tolerance) {
  const auto shows = [](const Frequency& w) { return !std::isnan(w.value); };
  constexpr std::size_t enough = 16;  // columns that are no waves, before any that is
  std::vector<LoneWave> all = lone_waves(reading, waves.first(std::min(enough, waves.size())), extent, tolerance);
  std::vector<Frequency> frequencies;
  for (LoneWave& wave : all) frequencies.push_back(wave.frequency());
  if (std::ranges::none_of(frequencies, shows)) return std::vector(waves.size(), unknown_frequency);
  for (const WaveColumns& wave : waves.subspan(all.size())) {
    frequencies.push_back(all.emplace_back(reading, wave, extent, tolerance).frequency());
  }
  const Size measured = best_amplitude(all, frequencies).value_or(Size{scale, 0});
  const double amplitude = std::abs(measured.value - scale) <= measured.off ? scale : measured.value;
  const auto first = first_coordinate(all, frequencies, amplitude, tolerance);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Frequency& w = frequencies[k];
    if (first && shows(w)) w = all[k].refined(w, amplitude, *first);
    w.off += made_in_f32(w.value);
  }
  return frequencies;
}

}  // namespace posenc::referee
