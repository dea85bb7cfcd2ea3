// SPDX-License-Identifier: Apache-2.0
// Files of tests/goldens of pairs, queries and stored rows against the library: a new file needs no line here.
#include <gtest/gtest.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/numbering.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>

#include <algorithm>

#include "tests/encodings/last_places.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

using test::GoldenFile;

const Convention& convention_of(const GoldenFile& file) { return preset(file.metadata("preset")).convention; }

template <class T>
std::vector<T> values(const GoldenFile& file, const std::string& tensor) {
  const auto all = file[tensor].values<T>();
  return {all.begin(), all.end()};
}

template <class Each>
void for_files(std::string_view kind, std::size_t least, const Each& each) {
  const std::vector<std::string> names = test::golden_names(kind);
  EXPECT_GE(names.size(), least);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    each(GoldenFile(name));
  }
}

// ---- classes ------------------------------------------------------------------------------------

// The class of every distance to `reach` on both sides, of runs that begin at `first`.
std::vector<std::int64_t> classes_of_original(const GoldenFile& file, std::int64_t reach) {
  const auto first = values<std::int64_t>(file, "all/first"), classes = values<std::int64_t>(file, "all/class");
  std::vector<std::int64_t> all;
  for (std::int64_t d = -reach, run = -1; d <= reach; ++d) {
    if (run + 1 < std::ssize(first) && first[static_cast<std::size_t>(run + 1)] == d) ++run;
    all.push_back(classes[static_cast<std::size_t>(run)]);
  }
  return all;
}

// make_log_bucket_position takes the logarithm in f32: ten distances whose class would begin a little later. All are
// beyond 512, where what looks classes up clips them.
constexpr std::int64_t deberta_edges[] = {65317, 83928, 92579, 126998, 129797};

TEST(RelativeGoldens, ClassesAreThoseOfOriginalsAtEveryDistance) {
  for_files("classes", 13, [](const GoldenFile& file) {
    const std::int64_t reach = values<std::int64_t>(file, "all/reach")[0];
    std::vector<std::int64_t> ours(static_cast<std::size_t>(2 * reach + 1)), wanted = classes_of_original(file, reach);
    buckets(convention_of(file), Positions::at(0), Positions::range(-reach, 2 * reach + 1),
            view(ours.data(), {1, 2 * reach + 1}));
    for (const std::int64_t edge : deberta_edges) {
      if (file.name() != "deberta-bucket") break;
      ++wanted.at(static_cast<std::size_t>(reach - edge));  // a key behind: d = q - k is more than 0
      --wanted.at(static_cast<std::size_t>(reach + edge));
    }
    EXPECT_TRUE(ours == wanted);
  });
}

// "h4w6"
GridSize window_of(const std::string& of_case) {
  const std::size_t w = of_case.find('w');
  return {std::stoll(of_case.substr(1, w - 1)), std::stoll(of_case.substr(w + 1))};
}

TEST(RelativeGoldens, WindowsHaveTheClassesOfOriginals) {
  for_files("windows", 2, [](const GoldenFile& file) {
    for (const std::string& of_case : file.cases()) {
      const test::GoldenArray& golden = file[of_case + "/classes"];
      std::vector<std::int32_t> ours(static_cast<std::size_t>(golden.shape[0] * golden.shape[1]));
      window_buckets(convention_of(file), window_of(of_case), view(ours.data(), {golden.shape[0], golden.shape[1]}));
      EXPECT_EQ(ours, values<std::int32_t>(file, of_case + "/classes")) << of_case;
    }
  });
}

// ---- real numbers -------------------------------------------------------------------------------

std::int64_t most(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  test::Distance found;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) found.add(a[i], b[i]);
  return found.most;
}

template <class T>
std::vector<T> coordinates(const GoldenFile& file, const std::string& of_case) {
  const auto [height, width] = window_of(of_case);
  std::vector<T> out(static_cast<std::size_t>((2 * height - 1) * (2 * width - 1) * 2));
  log_coordinates(convention_of(file), view(out.data(), {2 * height - 1, 2 * width - 1, 2}));
  return out;
}

// Originals round a quotient, a product, a logarithm and another quotient to f32.
TEST(RelativeGoldens, CoordinatesAreExactAndThoseOfOriginalsWithinTheirRoundings) {
  for_files("coordinates", 2, [](const GoldenFile& file) {
    for (const std::string& of_case : file.cases()) {
      SCOPED_TRACE(of_case);
      const std::vector<float> ours = coordinates<float>(file, of_case);
      EXPECT_EQ(ours, values<float>(file, of_case + "/exact/f32"));
      EXPECT_EQ(coordinates<double>(file, of_case), values<double>(file, of_case + "/exact/f64"));
      EXPECT_LE(most(ours, values<float>(file, of_case + "/original/table")), 3);
    }
  });
}

template <class T>
std::vector<T> factors(const GoldenFile& file) {
  const auto positions = values<std::int64_t>(file, "all/positions");
  std::vector<T> out(positions.size());
  query_scale(convention_of(file), Positions::list(view(positions.data(), {std::ssize(positions)})),
              view(out.data(), {std::ssize(out)}));
  return out;
}

TEST(RelativeGoldens, QueryScalesAreExactAndThoseOfOriginalsWithinTheirRoundings) {
  for_files("query_scales", 3, [](const GoldenFile& file) {
    const std::vector<float> ours = factors<float>(file);
    EXPECT_EQ(ours, values<float>(file, "all/exact/f32"));
    EXPECT_EQ(factors<double>(file), values<double>(file, "all/exact/f64"));
    EXPECT_LE(most(ours, values<float>(file, "all/original/factors")), 1);
  });
}

// ---- stored rows --------------------------------------------------------------------------------

std::vector<std::int64_t> rows_of_mask(const GoldenFile& file, const std::string& of_case) {
  const test::GoldenArray& mask = file[of_case + "/mask"];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(mask.shape[0] * mask.shape[1])), rows(positions.size());
  const View batch = view(positions.data(), {mask.shape[0], mask.shape[1]});
  positions_of_mask(mask.view(), {std::stoll(file.metadata("first")), std::stoll(file.metadata("absent"))}, batch);
  learned_rows(convention_of(file), Positions::list(batch), view(rows.data(), {mask.shape[0], mask.shape[1]}));
  return rows;
}

std::vector<std::int64_t> rows_of_axes(const GoldenFile& file, const std::string& of_case) {
  const test::GoldenArray& positions = file[of_case + "/positions"];
  const std::int64_t axes = positions.shape[0], count = positions.shape[1];
  std::vector<Positions> lists;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    lists.push_back(Positions::list(view(positions.values<std::int64_t>().data() + axis * count, {count})));
  }
  const std::size_t entries = file[of_case + "/rows"].values<std::int64_t>().size();
  std::vector<std::int64_t> rows(entries);
  const std::int64_t tables = std::ssize(rows) / count;
  learned_rows(convention_of(file), lists,
               tables == 1 ? view(rows.data(), {count}) : view(rows.data(), {count, tables}));
  return rows;
}

// Those of the cells of an image, line by line, at the places that the preset states: "h5w9".
std::vector<std::int64_t> rows_of_cells(const Preset& of, const std::string& of_case) {
  std::vector<std::int64_t> extents(2), rows;
  EXPECT_EQ(std::sscanf(of_case.c_str(), "h%ldw%ld", &extents[0], &extents[1]), 2);
  std::vector<double> lines(static_cast<std::size_t>(extents[0])), columns(static_cast<std::size_t>(extents[1])), y, x;
  place_coordinates(*of.places, extents, 0, view(lines.data(), {extents[0]}));
  place_coordinates(*of.places, extents, 1, view(columns.data(), {extents[1]}));
  for (const double line : lines) {
    y.insert(y.end(), columns.size(), line);
    x.insert(x.end(), columns.begin(), columns.end());
  }
  rows.resize(y.size());
  const Positions cells[] = {Positions::list(view(y.data(), {std::ssize(y)})),
                             Positions::list(view(x.data(), {std::ssize(x)}))};
  learned_rows(of.convention, cells, view(rows.data(), {std::ssize(rows)}));
  return rows;
}

TEST(RelativeGoldens, RowsOfCellsAreThoseOfOriginals) {
  const GoldenFile file("idefics2-patch");
  for (const std::string& of_case : file.cases()) {
    EXPECT_EQ(rows_of_cells(preset("idefics2-patch"), of_case), values<std::int64_t>(file, of_case + "/rows"))
        << of_case;
  }
}

TEST(RelativeGoldens, StoredRowsAreThoseOfOriginals) {
  for_files("stored_rows", 14, [](const GoldenFile& file) {
    for (const std::string& of_case : file.cases()) {
      const bool masked = file.has(of_case + "/mask");
      EXPECT_EQ(masked ? rows_of_mask(file, of_case) : rows_of_axes(file, of_case),
                values<std::int64_t>(file, of_case + "/rows"))
          << of_case;
    }
  });
}

}  // namespace
}  // namespace posenc
