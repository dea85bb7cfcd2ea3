// SPDX-License-Identifier: Apache-2.0
// A table from one layout, origin or length to another: proven, moved, and made longer by exact rows alone.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/referee/table_order.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/convert/convert.h"
#include "apps/posenc/convert/header.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t furthest = std::int64_t{1} << 53, most_rows_asked = std::int64_t{1} << 40;
constexpr std::int64_t table_block = std::int64_t{4} << 20;  // bytes of rows that are written at once

// Positions `first`, `first` + 1, .. of `rows` rows.
struct Stretched {
  std::int64_t first, rows;
  std::int64_t end() const { return first + rows; }
};

struct TableWork {
  Convention from, to;
  std::string name;  // of both
  Stretched in, out;
  std::string step;

  std::int64_t moved() const {
    return std::max<std::int64_t>(0, std::min(in.end(), out.end()) - std::max(in.first, out.first));
  }
};

// "0:1": the positions of the first rows.
std::pair<std::int64_t, std::int64_t> read_first(const Arguments& arguments) {
  const std::string text = arguments.find("--first").value_or("0:0");
  const std::size_t colon = text.find(':');
  if (colon == text.npos) refuse(arguments.operation, "--first must be FROM:TO, two positions", quote(text));
  const auto position = [&](const std::string& word) {
    return parse_integer(arguments.operation, "--first", word, -furthest, furthest);
  };
  return {position(text.substr(0, colon)), position(text.substr(colon + 1))};
}

// The axis of rows: of [L, d] the first, and of [1, L, d] or [L, 1, d] the one that is not 1.
std::size_t row_axis(const Arguments& arguments, const io::Array& array) {
  std::size_t axis = 0, long_axes = 0;
  for (std::size_t i = 0; i + 1 < array.shape.size(); ++i) {
    if (array.shape[i] == 1) continue;
    axis = i;
    ++long_axes;
  }
  if (array.shape.size() >= 2 && long_axes <= 1) return axis;
  refuse(arguments.operation, "IN must have an axis of rows and one of columns", shape_words(array));
}

TableWork read_work(const Arguments& arguments, const Choice& choice, std::int64_t rows) {
  TableWork work = {choice.convention, choice.convention, choice.name, {}, {}, ""};
  if (arguments.has("--layout")) {
    const FromTo layout = read_from_to(arguments, "--layout", layouts);
    work.from = with_field(work.from, "layout", layout.from);
    work.to = with_field(work.to, "layout", layout.to);
    work.step = fmt::format("layout {}:{}, ", layout.from, layout.to);
  }
  const auto [from, to] = read_first(arguments);
  work.in = {from, rows};
  work.out = {to, from + rows - to};
  if (const auto words = arguments.find("--rows")) {
    work.out.rows = parse_integer(arguments.operation, "--rows", *words, 1, most_rows_asked);
  }
  if (work.out.rows < 1) {
    refuse(arguments.operation, "--rows must be given where --first leaves no row of IN",
           fmt::format("{} for positions {} to {}", to, from, from + rows - 1));
  }
  if (work.in.first == work.out.first && work.in.rows == work.out.rows && work.step.empty()) {
    refuse(arguments.operation, "--layout, --first or --rows must change the table", "the table itself");
  }
  work.step += fmt::format("first {}:{}, {} rows of {}, {} of them made by {}", from, to, work.out.rows, rows,
                           work.out.rows - work.moved(), choice.name);
  return work;
}

TableProof proven(const Arguments& arguments, const TableWork& work, const ConstView& table) {
  const TableProof proof = prove_table(work.from, work.in.first, table);
  if (!proof.outside) return proof;
  const auto [row, column] = *proof.outside;
  refuse(arguments.operation,
         fmt::format("IN must be a table of {}{}, from position {} on", work.name,
                     arguments.has("--layout") ? ", its layout that of --layout" : "", work.in.first),
         fmt::format("another number at [{}, {}]", row, column));
}

// Rows of positions `at` of the new table: moved where the old one has them, else made.
void fill(const TableWork& work, std::span<const std::int64_t> order, const Rows& made, const ConstView& table,
          const Stretched& at, const View& rows) {
  const std::size_t row_bytes = static_cast<std::size_t>(rows.size(1)) * size_of(rows.dtype);
  const auto part = [&](const View& of, std::int64_t first, std::int64_t count) {
    View view = of;
    view.data = static_cast<std::byte*>(of.data) + static_cast<std::size_t>(first) * row_bytes;
    view.shape[0] = count;
    return view;
  };
  const std::int64_t begin = std::clamp(work.in.first, at.first, at.end());
  const std::int64_t end = std::clamp(work.in.end(), begin, at.end());
  if (begin > at.first) made.write(Positions::range(at.first, begin - at.first), part(rows, 0, begin - at.first));
  if (end > begin) {
    ConstView old_rows = table;
    old_rows.data =
        static_cast<const std::byte*>(table.data) + static_cast<std::size_t>(begin - work.in.first) * row_bytes;
    old_rows.shape[0] = end - begin;
    reorder_columns(order, old_rows, part(rows, begin - at.first, end - begin));
  }
  if (at.end() > end) made.write(Positions::range(end, at.end() - end), part(rows, end - at.first, at.end() - end));
}

// Its metadata says what was done, where the format has any.
void write_table(const TableWork& work, const Out& out, io::TensorPlan plan, const ConstView& table) {
  const std::int64_t width = table.size(1);
  const std::vector<std::int64_t> order = table_order(work.from, work.to, width);
  const Rows made(work.to, width);
  const std::int64_t row_bytes = width * static_cast<std::int64_t>(size_of(table.dtype));
  const std::int64_t most = std::max<std::int64_t>(1, table_block / row_bytes);
  std::vector<double> block(static_cast<std::size_t>(std::min(most, work.out.rows) * row_bytes + 7) / 8);
  TensorTarget target(out,
                      {.first = std::move(plan), .about = {{std::string(steps_key), json_list({work.step}).text()}}});
  for (std::int64_t at = 0; at < work.out.rows; at += most) {
    const std::int64_t count = std::min(most, work.out.rows - at);
    const View rows = {block.data(), table.dtype, 2, {count, width}, {width, 1}};
    fill(work, order, made, table, {work.out.first + at, count}, rows);
    target.write(rows);
  }
  commit({}, &target.finish());
}

}  // namespace

Said convert_table(const Arguments& arguments) {
  const InOut paths = read_in_out(arguments);
  std::vector<NamedFile> inputs = convention_files(arguments);
  inputs.push_back({"IN", source_path(paths.in)});
  check_apart(arguments.operation, std::vector<NamedFile>{{"OUT", paths.out}}, inputs);
  const Out out =
      out_at(arguments, "OUT", paths.out, write_options(arguments.has("--no-sync") ? io::Sync::none : io::Sync::full));
  const Choice choice = read_choice(arguments, default_preset);
  require_use(arguments.operation, choice, ConventionUse::rows);
  const Source source = read_source(arguments.operation, "IN", paths.in);
  const io::Array& array = source.array;
  if (!is_real(array.dtype)) refuse(arguments.operation, "IN must be f32, f64, f16 or bf16", shape_words(array));
  const std::size_t axis = row_axis(arguments, array);
  const std::int64_t rows = array.shape[axis], width = array.shape.back();
  const ConstView table = {array.data.data(), array.dtype, 2, {rows, width}, {width, 1}};
  const TableWork work = read_work(arguments, choice, rows);
  require(check_table_order(work.from, work.to, width));
  const TableProof proof = proven(arguments, work, table);
  std::vector<std::int64_t> shape = array.shape;
  shape[axis] = work.out.rows;
  const std::int64_t bytes = bytes_of(arguments.operation, work.out.rows, width, array.dtype);
  if (out.regular()) check_space(arguments.operation, bytes, out.path);
  write_table(work, out, {source.tensor.empty() ? "table" : source.tensor, array.dtype, shape}, table);
  if (arguments.has("--json")) {
    return {one_line(
        {{"operation", arguments.operation},
         {"name", work.name},
         {"dtype", to_string(array.dtype)},
         {"shape", shape},
         {"first", json_list({work.in.first, work.out.first})},
         {"moved", work.moved()},
         {"made", work.out.rows - work.moved()},
         {"proof", json_object({{"entries", proof.entries}, {"equal", proof.equal}, {"furthest", proof.furthest}})},
         {"out", paths.out}})};
  }
  return {"",
          {fmt::format("{}: {} [{}], {}", out.title(), to_string(array.dtype), fmt::join(shape, ", "), work.step),
           fmt::format("proof: {} entries within their bounds of {}, {} equal to the bit; furthest {:.2g}",
                       proof.entries, work.name, proof.equal, proof.furthest)}};
}

}  // namespace posenc::tool
