// SPDX-License-Identifier: Apache-2.0
// The plans of conventions as numbers, a line of JSON each: what tools/amalgamate writes into a file that lowers
// nothing itself. Arguments: NAME:WIDTH, a preset and the columns of a head or of a row, after --set PATH=VALUE for
// fields that are changed; without any, what presets there are.
#include <posenc/preset.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "src/conventions/lower.h"
#include "src/engine/tables/factor.h"
#include "src/engine/tables/frequencies.h"

namespace {

using posenc::Convention;
using posenc::LoweredFor;
using posenc::Problem;

std::string text(const Problem& problem) { return problem.message(); }

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), why.c_str());
  std::exit(2);
}

void list(const char* name, std::size_t count, auto&& each) {
  std::printf(", \"%s\": [", name);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) std::printf(", ");
    each(i);
  }
  std::printf("]");
}

void print(const posenc::numerics::Turn& turn, bool negative, const posenc::numerics::QuarterTurns& quarters) {
  const auto& limbs = turn.significand;
  std::printf("[\"%016llx%016llx%016llx%016llx\", %lld, %d, [%llu, %d, %u]]", static_cast<unsigned long long>(limbs[3]),
              static_cast<unsigned long long>(limbs[2]), static_cast<unsigned long long>(limbs[1]),
              static_cast<unsigned long long>(limbs[0]), static_cast<long long>(turn.exponent), negative ? 1 : 0,
              static_cast<unsigned long long>(quarters.denominator), quarters.exponent, quarters.numerator);
}

void print_ladders(const std::string& what, const std::vector<posenc::plan::Ladder>& ladders) {
  list("ladders", ladders.size(), [&](std::size_t a) {
    const auto rungs = posenc::engine::rungs_of(ladders[a]);
    if (!rungs) refuse(what, "2^15 bits do not tell a frequency from 0");
    std::printf("[");
    for (std::size_t k = 0; k < rungs->size(); ++k) {
      if (k > 0) std::printf(", ");
      print(rungs->turns[k], rungs->is_negative(k),
            rungs->quarters.empty() ? posenc::numerics::QuarterTurns{} : rungs->quarters[k]);
    }
    std::printf("]");
  });
}

void print_scale(const std::string& what, const posenc::numerics::Real& scale) {
  if (scale == posenc::numerics::Real(1)) return std::printf(", \"factor\": null"), void();
  const auto factor = posenc::engine::factor(scale);
  if (!factor) refuse(what, "the magnitude is beyond 2^-8 to 2^2");
  const auto& leading = *factor->exact.leading;
  std::printf(", \"factor\": [\"%016llx%016llx\", %d, %lld, %llu, \"%a\", \"%a\", %d, \"%a\", %u, %u]",
              static_cast<unsigned long long>(leading.significand >> 64),
              static_cast<unsigned long long>(leading.significand), leading.negative ? 1 : 0,
              static_cast<long long>(leading.exponent), static_cast<unsigned long long>(leading.error), factor->nearest,
              factor->rest, factor->exponent, static_cast<double>(factor->as<float>()), factor->as<posenc::half>().bits,
              factor->as<posenc::bfloat16>().bits);
}

void print_rotation(const std::string& what, const Convention& convention, const LoweredFor& given) {
  const posenc::plan::PairPlan plan = posenc::lower_pairs(convention, given);
  if (plan.decay) refuse(what, "its pairs decay by the position: a file that lowers nothing has no such rotation");
  const auto axes = posenc::axes_of(convention);
  list("axes", axes.size(), [&](std::size_t a) { std::printf("\"%s\"", axes[a].c_str()); });
  list("pairs", plan.pairs.size(), [&](std::size_t k) {
    const auto& [read, written, angles] = plan.pairs[k];
    std::printf("[%u, %u, %u, %u, %u, %u, %u, %u]", read[0], read[1], written[0], written[1], angles[0].axis,
                angles[0].frequency, angles[1].axis, angles[1].frequency);
  });
  std::printf(", \"columns\": %lld, \"backward\": %d, \"stored\": %d", static_cast<long long>(plan.width),
              plan.turning == posenc::plan::Turning::backward ? 1 : 0, static_cast<int>(plan.stored));
  print_ladders(what, plan.ladders);
  print_scale(what, plan.magnitude);
}

void print_rows(const std::string& what, const Convention& convention, const LoweredFor& given) {
  const posenc::plan::RowPlan plan = posenc::lower_rows(convention, given);
  const bool plain = plan.axes.size() == 1 && plan.axes[0] == posenc::plan::Axis{} && plan.phases.empty();
  if (!plain) refuse(what, "its angles have phases or scaled positions: a file that lowers nothing has no such rows");
  list("row", plan.columns.size(), [&](std::size_t c) {
    const auto& [kind, quarter, axis, frequency] = plan.columns[c];
    if (kind == posenc::plan::Kind::coordinate) refuse(what, "a column holds the position itself");
    std::printf("[%d, %d, %u]", static_cast<int>(kind), quarter, frequency);
  });
  print_ladders(what, plan.ladders);
  print_scale(what, plan.scale);
}

// The lengths from which a regime begins: 0, and one more where a list of factors changes.
std::vector<std::int64_t> regimes(const std::string& what, const posenc::Rotary& rotary) {
  std::vector<std::int64_t> lengths = {0};
  for (const posenc::Ladder& ladder : rotary.ladders) {
    const auto* geometric = std::get_if<posenc::Geometric>(&ladder);
    if (geometric == nullptr) continue;
    if (std::holds_alternative<posenc::DynamicNtkScaling>(geometric->scaling)) {
      refuse(what, "each length has frequencies of its own: a file that lowers nothing has no such rotation");
    }
    if (const auto* by = std::get_if<posenc::LongRopeScaling>(&geometric->scaling)) lengths.push_back(by->length + 1);
  }
  return lengths;
}

// Escapes quotes and backslashes for JSON.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void print_presets() {
  for (const posenc::Preset& preset : posenc::presets()) {
    const bool is_rotary = std::holds_alternative<posenc::Rotary>(preset.convention);
    std::printf("{\"name\": \"%s\", \"family\": \"%s\", \"source\": \"%s\"", escaped(preset.name).c_str(),
                is_rotary ? "rotary" : escaped(posenc::family(preset.convention)).c_str(),
                escaped(preset.source).c_str());
    list("aliases", preset.aliases.size(),
         [&](std::size_t i) { std::printf("\"%s\"", escaped(preset.aliases[i]).c_str()); });
    std::printf("}\n");
  }
}

// PATH=VALUE, as posenc reads it.
posenc::FieldChange change(std::string_view setting) {
  const std::size_t sign = setting.find('=');
  if (sign == setting.npos || sign == 0) refuse(std::string(setting), "--set must be PATH=VALUE");
  return {setting.substr(0, sign), setting.substr(sign + 1)};
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 1) print_presets();
  std::vector<posenc::FieldChange> changes;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--set") == 0 && i + 1 < count) {
      changes.push_back(change(arguments[++i]));
      continue;
    }
    const std::string what = arguments[i], name = what.substr(0, what.rfind(':'));
    const std::int64_t width = std::atoll(what.c_str() + what.rfind(':') + 1);
    const posenc::Preset* const preset = posenc::find_preset(name);
    if (preset == nullptr) refuse(what, text(*posenc::check_preset(name)));
    if (const auto problem = posenc::check_changes(preset->convention, changes)) refuse(what, text(*problem));
    const Convention convention = posenc::with(preset->convention, changes);
    const bool rows = !posenc::check_use("sinusoid", posenc::ConventionUse::rows, convention);
    if (!rows && !std::holds_alternative<posenc::Rotary>(convention)) {
      refuse(what, "the convention must be a rotation, or waves of one axis");
    }
    const auto* rotary = std::get_if<posenc::Rotary>(&convention);
    const std::vector<std::int64_t> lengths = rotary != nullptr ? regimes(what, *rotary) : std::vector<std::int64_t>{0};
    for (const std::int64_t length : lengths) {
      const LoweredFor given = {.width = width, .context = {.length = length + 1, .centre = 0}};
      if (const auto problem = posenc::check_lower(convention, given)) refuse(what, text(*problem));
      std::printf("{\"name\": \"%s\", \"width\": %lld, \"from\": %lld, \"regimes\": %d",
                  std::string(preset->name).c_str(), static_cast<long long>(width), static_cast<long long>(length),
                  static_cast<int>(lengths.size()));
      if (rotary != nullptr) {
        print_rotation(what, convention, given);
      } else {
        print_rows(what, convention, given);
      }
      std::printf("}\n");
    }
  }
}
