// SPDX-License-Identifier: Apache-2.0
// Hash lines of what the C ABI computes here, "KIND NAME SHA-256": of every preset and every kind of call, and of every
// configuration in a folder, the bytes of all outputs, or the message where a call is refused. lines.mjs makes the same
// of the module, call by call.
//
// Usage: native_lines FOLDER
#include <openssl/sha.h>
#include <posenc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

const int64_t widths[] = {12, 64, 130}, heads[] = {64, 128}, bias_heads[] = {1, 8, 12};
const posenc_positions ranges[] = {{POSENC_RANGE, 0, 37, 0, 1, 0, 0, nullptr},
                                   {POSENC_RANGE, 0, 3, 1'000'000'000, 1, 0, 0, nullptr},
                                   {POSENC_RANGE, 0, 4, -5, 3, 0, 0, nullptr},
                                   {POSENC_REAL_RANGE, 0, 5, 0, 0, 0.25, 0.5, nullptr}};
const posenc_positions queries = {POSENC_RANGE, 0, 17, 3, 1, 0, 0, nullptr};
const posenc_positions keys = {POSENC_RANGE, 0, 23, 0, 1, 0, 0, nullptr};
const int64_t extents[] = {3, 5, 2, 1, 1, 1, 1, 1};  // the first few, one for each axis

struct Element {
  uint32_t number;
  size_t bytes;
};
const Element f32 = {POSENC_F32, 4}, i32 = {POSENC_I32, 4};
const Element reals[] = {f32, {POSENC_F64, 8}, {POSENC_F16, 2}, {POSENC_BF16, 2}};

/// All that one line hashes.
class Line {
 public:
  void add(std::string_view text) { bytes_ += text; }
  /// The output of a call, or what it was refused with.
  void add(posenc_status status, const posenc_error& error, const std::vector<char>& out) {
    if (status == POSENC_OK) return add({out.data(), out.size()});
    add("[" + std::string(error.operation) + "] " + error.rule + ", got " + error.value);
  }
  void print(const char* kind, const char* preset) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(), digest);
    std::printf("%s %s ", kind, preset);
    for (const unsigned char byte : digest) std::printf("%02x", byte);
    std::printf("\n");
  }

 private:
  std::string bytes_;
};

posenc_error fresh() {
  posenc_error error = {};
  error.size = sizeof error;
  return error;
}

posenc_view view_of(std::vector<char>& bytes, Element element, const std::vector<int64_t>& shape) {
  size_t size = element.bytes;
  for (const int64_t each : shape) size *= static_cast<size_t>(each);
  bytes.assign(size, 0);
  posenc_view view = {};
  posenc_view_of(bytes.data(), element.number, static_cast<uint32_t>(shape.size()), shape.data(), &view, nullptr);
  return view;
}

/// One call that writes a tensor.
template <class Call>
void add_output(Line& line, Element element, const std::vector<int64_t>& shape, Call call) {
  std::vector<char> bytes;
  const posenc_view out = view_of(bytes, element, shape);
  posenc_error error = fresh();
  const posenc_status status = call(out, error);
  line.add(status, error, bytes);
}

/// `add(handle, line)` of a handle that `make(&handle, &error)` makes, or what it was refused with.
template <class Handle, class Make, class Add>
void add_made(Line& line, Make make, void (*free)(Handle*), Add add) {
  Handle* handle = nullptr;
  posenc_error error = fresh();
  const posenc_status status = make(&handle, &error);
  if (status != POSENC_OK) return line.add(status, error, {});
  add(handle);
  free(handle);
}

bool gives(const posenc_convention* of, uint32_t use) { return posenc_convention_check(of, use, nullptr) == POSENC_OK; }

size_t count_axes(const posenc_convention* of, const char* (*name)(const posenc_convention*, size_t)) {
  size_t count = 0;
  while (name(of, count) != nullptr) ++count;
  return count;
}

void print_rows(const char* preset, const posenc_convention* of, const char* kind, const char* recipe) {
  Line line;
  for (const int64_t width : widths) {
    const auto make = [&](posenc_rows** out, posenc_error* error) {
      return posenc_rows_new(of, width, recipe, nullptr, out, error);
    };
    add_made<posenc_rows>(line, make, posenc_rows_free, [&](posenc_rows* rows) {
      for (const posenc_positions& range : ranges) {
        for (const Element& element : reals) {
          add_output(line, element, {range.count, posenc_rows_width(rows)},
                     [&](const posenc_view& out, posenc_error& error) {
                       return posenc_rows_write(rows, &range, &out, nullptr, &error);
                     });
        }
      }
    });
  }
  line.print(kind, preset);
}

void print_coordinates(const char* preset, const posenc_convention* of) {
  Line line;
  const size_t axes = count_axes(of, posenc_convention_axis);
  for (const int64_t width : widths) {
    const auto make = [&](posenc_coordinates** out, posenc_error* error) {
      return posenc_coordinates_new(of, width, nullptr, nullptr, out, error);
    };
    add_made<posenc_coordinates>(line, make, posenc_coordinates_free, [&](posenc_coordinates* rows) {
      for (const posenc_positions& range : ranges) {
        const std::vector<posenc_positions> lists(axes, range);
        add_output(line, f32, {range.count, posenc_coordinates_width(rows)},
                   [&](const posenc_view& out, posenc_error& error) {
                     return posenc_coordinates_write(rows, lists.data(), axes, &out, nullptr, &error);
                   });
      }
    });
  }
  line.print("coordinates", preset);
}

void print_grid(const char* preset, const posenc_convention* of) {
  Line line;
  posenc_places whole = {};
  posenc_preset_places("mae-2d", &whole, nullptr);
  const size_t axes = count_axes(of, posenc_convention_cell_axis);
  for (const int64_t width : widths) {
    const auto make = [&](posenc_grid** out, posenc_error* error) {
      return posenc_grid_new(of, width, nullptr, nullptr, &whole, out, error);
    };
    add_made<posenc_grid>(line, make, posenc_grid_free, [&](posenc_grid* grid) {
      std::vector<int64_t> shape(extents, extents + axes);
      shape.push_back(posenc_grid_width(grid));
      add_output(line, f32, shape, [&](const posenc_view& out, posenc_error& error) {
        return posenc_grid_write(grid, &out, nullptr, &error);
      });
    });
  }
  line.print("grid", preset);
}

void print_rotation(const char* preset, const posenc_convention* of) {
  Line line;
  const size_t axes = count_axes(of, posenc_convention_axis);
  for (const int64_t head : heads) {
    const auto make = [&](posenc_rotary** out, posenc_error* error) {
      return posenc_rotary_new(of, head, nullptr, nullptr, out, error);
    };
    add_made<posenc_rotary>(line, make, posenc_rotary_free, [&](posenc_rotary* rotary) {
      for (const posenc_positions& range : ranges) {
        const std::vector<posenc_positions> lists(axes, range);
        add_output(line, f32, {range.count, head}, [&](const posenc_view& out, posenc_error& error) {
          auto* values = static_cast<float*>(out.data);
          for (int64_t i = 0; i < range.count * head; ++i) values[i] = static_cast<float>(i * 37 % 101 - 50) / 64;
          const posenc_rotated turned = {&out, &out, POSENC_QUERY, 0};
          return posenc_rotary_rotate(rotary, lists.data(), axes, &turned, 1, POSENC_FORWARD, nullptr, &error);
        });
      }
    });
  }
  line.print("rotation", preset);
}

void print_rotation_tables(const char* preset, const posenc_convention* of) {
  Line line;
  const size_t axes = count_axes(of, posenc_convention_axis);
  for (const int64_t head : heads) {
    const auto make = [&](posenc_rotary_cache** out, posenc_error* error) {
      return posenc_rotary_cache_new(of, head, nullptr, nullptr, out, error);
    };
    add_made<posenc_rotary_cache>(line, make, posenc_rotary_cache_free, [&](posenc_rotary_cache* cache) {
      for (size_t number = 0; posenc_rotary_cache_tensor(cache, number) != nullptr; ++number) {
        for (const posenc_positions& range : ranges) {
          const std::vector<posenc_positions> lists(axes, range);
          add_output(line, f32, {range.count, posenc_rotary_cache_width(cache)},
                     [&](const posenc_view& out, posenc_error& error) {
                       return posenc_rotary_cache_write(cache, posenc_rotary_cache_tensor(cache, number), lists.data(),
                                                        axes, &out, nullptr, &error);
                     });
        }
      }
    });
  }
  line.print("rotationTables", preset);
}

void print_pairs(const char* preset, const posenc_convention* of) {
  if (gives(of, POSENC_SLOPES)) {
    Line line;
    for (const int64_t number : bias_heads) {
      for (const Element& element : reals) {
        add_output(line, element, {number, queries.count, keys.count},
                   [&](const posenc_view& out, posenc_error& error) {
                     return posenc_bias(of, &queries, &keys, nullptr, &out, nullptr, &error);
                   });
      }
    }
    line.print("bias", preset);
  }
  if (gives(of, POSENC_CLASSES)) {
    Line line;
    add_output(line, i32, {queries.count, keys.count}, [&](const posenc_view& out, posenc_error& error) {
      return posenc_buckets(of, &queries, &keys, &out, nullptr, &error);
    });
    line.print("buckets", preset);
  }
  if (gives(of, POSENC_QUERY_SCALES)) {
    Line line;
    for (const posenc_positions& range : ranges) {
      add_output(line, f32, {range.count}, [&](const posenc_view& out, posenc_error& error) {
        return posenc_query_scale(of, &range, &out, nullptr, &error);
      });
    }
    line.print("queryScale", preset);
  }
}

/// A text that is had by two calls.
template <class Call>
std::string text_of(Call call) {
  size_t length = 0;
  call(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  call(text.data(), length + 1, &length);
  text.pop_back();
  return text;
}

void print_texts(const char* preset, const posenc_convention* of) {
  Line line;
  line.add(text_of([&](char* text, size_t capacity, size_t* length) {
    posenc_preset_json(preset, text, capacity, length, nullptr);
  }));
  line.add(text_of([&](char* text, size_t capacity, size_t* length) {
    posenc_convention_json(of, text, capacity, length, nullptr);
  }));
  line.print("preset", preset);
}

void add_verdict(Line& line, posenc_status status, const posenc_error& error, posenc_verdict* verdict) {
  if (status != POSENC_OK) return line.add(status, error, {});
  line.add(posenc_verdict_json(verdict));
  line.add(posenc_verdict_text(verdict));
  posenc_verdict_free(verdict);
}

void print_verdicts(const char* preset, const posenc_convention* of) {
  Line line;
  const posenc_positions one = {POSENC_RANGE, 0, 1, 100, 1, 0, 0, nullptr};
  const std::vector<posenc_positions> at(count_axes(of, posenc_convention_axis), one);
  posenc_entry entry = {};
  entry.size = sizeof entry;
  entry.dim = 64, entry.column = 5, entry.at = at.data(), entry.axes = at.size();
  posenc_error error = fresh();
  posenc_verdict* verdict = nullptr;
  posenc_status status = posenc_explain(of, &entry, nullptr, &verdict, &error);
  add_verdict(line, status, error, verdict);
  line.print("explain", preset);
}

void print_identified(const char* preset, const posenc_convention* of) {
  Line line;
  posenc_rows* rows = nullptr;
  if (posenc_rows_new(of, 64, nullptr, nullptr, &rows, nullptr) != POSENC_OK) return;
  std::vector<char> bytes;
  const posenc_view table = view_of(bytes, f32, {ranges[0].count, posenc_rows_width(rows)});
  posenc_rows_write(rows, &ranges[0], &table, nullptr, nullptr);
  posenc_rows_free(rows);
  posenc_error error = fresh();
  posenc_verdict* verdict = nullptr;
  const posenc_status status = posenc_identify(&table, nullptr, &verdict, &error);
  add_verdict(line, status, error, verdict);
  line.print("identify", preset);
}

void print_preset(const char* preset) {
  posenc_convention* of = nullptr;
  if (posenc_convention_new(preset, std::strlen(preset), &of, nullptr) != POSENC_OK) return;
  print_texts(preset, of);
  const bool has_rows = gives(of, POSENC_ROWS) || gives(of, POSENC_TOKENS) || gives(of, POSENC_TIMESTEPS);
  if (has_rows) print_rows(preset, of, "rows", nullptr);
  if (has_rows && std::string_view(preset) == "pytorch") print_rows(preset, of, "rowsByRecipe", "f32-exp");
  if (gives(of, POSENC_COORDINATES)) print_coordinates(preset, of);
  if (gives(of, POSENC_CELLS) && count_axes(of, posenc_convention_cell_axis) < 8)
    print_grid(preset, of);  // rank 8 at most
  if (gives(of, POSENC_ROTATIONS)) print_rotation(preset, of), print_rotation_tables(preset, of);
  print_pairs(preset, of);
  print_verdicts(preset, of);
  if (gives(of, POSENC_TOKENS)) print_identified(preset, of);
  posenc_convention_free(of);
}

void print_configuration(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  Line line;
  size_t length = 0;
  posenc_error error = fresh();
  const posenc_status status = posenc_inspect(json.data(), json.size(), nullptr, nullptr, 0, &length, &error);
  if (status != POSENC_OK) line.add(status, error, {});
  if (status == POSENC_OK) {
    line.add(text_of([&](char* text, size_t capacity, size_t* size) {
      posenc_inspect(json.data(), json.size(), nullptr, text, capacity, size, nullptr);
    }));
  }
  line.print("inspect", file.filename().c_str());
}

}  // namespace

int main(int, char** arguments) {
  for (size_t number = 0; posenc_preset_name(number) != nullptr; ++number) print_preset(posenc_preset_name(number));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) print_configuration(file);
}
