// SPDX-License-Identifier: Apache-2.0
// Each fault that ports have is made of what is asked, and every entry held against it.
#include "src/referee/diagnose_lists.h"

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/ladder_line.h"
#include "src/referee/ladder_lists.h"

namespace posenc::referee {
namespace {

bool begins_with(const Entries& got, const std::vector<double>& all) {
  for (std::size_t k = 0; k < std::min(got.all.size(), all.size()); ++k) {
    if (!(std::abs(got.all[k] - all[k]) <= got.off(all[k]))) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> scaling_words(const ConstView& tensor, const Entries& got, std::string_view form,
                                       const Convention& asked, const DiagnoseOptions& options) {
  const auto plain = got.are_frequencies() ? without_scaling(asked) : std::nullopt;
  if (!plain) return {};
  for (const Expected& each : all_expected(tensor, *plain, options)) {
    if (each.form != form) continue;
    if (tallied(got, each.all, 1).wrong == 0) return words_of_fields(*plain, asked, frequency_form);
    const auto factor = factor_of(got, each.all);
    if (!factor || !(*factor > 0)) continue;
    const double by = 1 / *factor;
    const Fitted simple = fitted_between("factor", by * (1 - 0x1p-20), by * (1 + 0x1p-20));
    const FieldChange changes[] = {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", simple.value}};
    if (check_changes(*plain, changes)) continue;
    return words_of_fields(detail::changed(*plain, changes), asked, frequency_form);
  }
  return {};
}

std::vector<std::string> part_words(const Entries& got, const Convention& asked, const DiagnoseOptions& options) {
  const auto plain = got.are_frequencies() ? without_scaling(asked) : std::nullopt;
  const auto turning = static_cast<std::int64_t>(std::ranges::find(got.all, 0.0) - got.all.begin());
  if (!plain || turning < 2 || turning == std::ssize(got.all)) return {};
  if (std::ranges::any_of(got.all.begin() + turning, got.all.end(), [](double w) { return w != 0; })) return {};
  const std::vector<double> own = frequencies_of(*plain, 2 * turning, options.context);
  if (std::ssize(own) != turning || !begins_with(got, own)) return {};
  const std::string columns = std::to_string(2 * turning), all = std::to_string(2 * got.all.size());
  return {"the ladder of the " + columns + " columns that turn is over " + columns + ", not over the " + all +
          " of the head"};
}

std::vector<std::string> cut_words(const Entries& got, const Convention& convention, const DiagnoseOptions& options) {
  if (!got.are_frequencies()) return {};
  const std::string count = std::to_string(got.all.size());
  if (options.dim > 0) {
    const std::vector<double> all = frequencies_of(convention, options.dim, options.context);
    if (all.size() == got.all.size()) return {};
    const std::string words = count + " frequencies, " + std::to_string(all.size()) + " asked";
    if (!begins_with(got, all)) return {words};
    return {words + (got.all.size() < all.size() ? ": the last ones are missing" : ": those behind are none of them")};
  }
  for (const std::int64_t width : {32, 64, 80, 96, 128, 160, 192, 256, 512}) {
    const std::vector<double> all = frequencies_of(convention, width, options.context);
    if (all.size() <= got.all.size() || !begins_with(got, all)) continue;
    return {"frequencies are the first " + count + " of " + std::to_string(all.size()) + ", those of width " +
            std::to_string(width)};
  }
  return {};
}

std::vector<std::string> list_words(const Entries& got, const std::vector<double>& expected) {
  if (!got.are_frequencies() || got.all.size() != expected.size()) return {};
  std::vector<std::size_t> wrong, from;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (!(std::abs(got.all[k] - expected[k]) <= got.off(expected[k]))) wrong.push_back(k);
  }
  const auto moved_from = [&](std::size_t k) {
    return std::ranges::find_if(wrong, [&](std::size_t j) {
      return std::abs(got.all[k] - expected[j]) <= got.off(expected[j]) && std::ranges::find(from, j) == from.end();
    });
  };
  for (const std::size_t k : wrong) {
    if (const auto at = moved_from(k); at != wrong.end()) from.push_back(*at);
  }
  constexpr std::size_t few = 4;
  const std::size_t told = std::min(few, wrong.size());
  const std::string more = wrong.size() > few ? ", .. (" + std::to_string(wrong.size()) + " of them)" : "";
  if (from.size() == wrong.size()) {
    std::vector<std::string> each;
    for (std::size_t i = 0; i < told; ++i) {
      each.push_back("entry " + std::to_string(wrong[i]) + " holds entry " + std::to_string(from[i]));
    }
    return {"entries are permuted: " + listed(each, [](const std::string& text) { return text; }) + more};
  }
  if (4 * wrong.size() > expected.size()) return {};
  return {(wrong.size() == 1 ? "1 entry is another: " : "entries are others: ") +
          listed(std::span(wrong).first(told), [](std::size_t k) { return std::to_string(k); }) + more};
}

}  // namespace posenc::referee
