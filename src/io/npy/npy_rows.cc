// SPDX-License-Identifier: Apache-2.0
// Elements of an .npy file by offset: runs that lie together in the file, widened on their way.
#include "src/io/npy/npy_rows.h"

#include <new>

#include "src/io/files/descriptor.h"
#include "src/io/files/element_bytes.h"

namespace posenc::io {
namespace {

/// Elements `at`, at + 1, ... in the order of the file.
void read_run(const NpySection& section, const NpyHeader& header, std::int64_t at, std::int64_t count, std::byte* to) {
  constexpr std::int64_t piece = std::int64_t{1} << 17;
  const std::size_t stored = size_of(header.kind.dtype);
  const auto offset_of = [&](std::int64_t element) {
    return section.begin + header.data + static_cast<std::uint64_t>(element * header.kind.bytes);
  };
  if (stands_as_it_will(header)) {
    section.source.read(offset_of(at), {to, static_cast<std::size_t>(count) * stored});
    return;
  }
  std::vector<std::byte> raw(static_cast<std::size_t>(std::min(count, piece) * header.kind.bytes));
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t some = std::min(count - done, piece);
    const std::span bytes(raw.data(), static_cast<std::size_t>(some * header.kind.bytes));
    section.source.read(offset_of(at + done), bytes);
    for (std::int64_t i = 0; header.kind.code == "u8" && i < some; ++i) {
      const auto value = load<std::uint64_t>(raw.data() + i * 8, header.swapped);
      if (value > largest_int64) refuse_unsigned(header, at + done + i, value, section.name);
    }
    const std::array<std::int64_t, 1> shape = {some};
    header.kind.decode({raw.data(), shape, {1}, header.swapped}, to + static_cast<std::size_t>(done) * stored);
  }
}

/// The elements of a file whose first axis varies fastest: as many rows of each column, one column after another.
void read_columns(const NpySection& section, const NpyHeader& header, std::int64_t first, const View& out) {
  const std::size_t element = size_of(out.dtype);
  const std::int64_t rows = out.shape[0], columns = out.count() / rows;
  std::vector<std::byte> column(static_cast<std::size_t>(rows) * element);
  std::array<std::int64_t, max_rank> at = {};  // of the column, along the axes after the first
  auto* to = static_cast<std::byte*>(out.data);
  for (std::int64_t in_file = 0; in_file < columns; ++in_file) {
    read_run(section, header, in_file * header.shape[0] + first, rows, column.data());
    std::int64_t in_row = 0;
    for (std::size_t axis = 1; axis < header.shape.size(); ++axis) in_row = in_row * header.shape[axis] + at[axis];
    for (std::int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + static_cast<std::size_t>(row * columns + in_row) * element,
                  column.data() + static_cast<std::size_t>(row) * element, element);
    }
    for (std::size_t axis = 1; axis < header.shape.size() && ++at[axis] == header.shape[axis]; ++axis) at[axis] = 0;
  }
}

}  // namespace

NpyHeader read_npy_header(const NpySection& section) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(section.size, npy_start)));
  section.source.read(section.begin, start);
  return read_npy_header(start, section.size, section.name);
}

TensorMap map_npy_section(const NpySection& section, const NpyHeader& header) {
  if (has_same_elements(header)) {
    if (auto mapping = section.source.map(section.begin + header.data, section.size - header.data)) {
      ConstView view = detail::row_major<const void*>(mapping->data(), header.kind.dtype, header.shape);
      view.strides = npy_strides(header);
      return {std::move(mapping), view};
    }
  }
  return TensorMap(read_npy_section(section, header, {}));
}

Array read_npy_section(const NpySection& section, const NpyHeader& header, const Watch& watch) {
  const bool as_it_will = stands_as_it_will(header);
  const std::uint64_t skipped = as_it_will ? header.data : 0;
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<std::size_t>(section.size - skipped));
  } catch (const std::bad_alloc&) {
    fail_with(npy_reading, "the file must fit in memory", section.name, ENOMEM);
  }
  section.source.read(section.begin + skipped, bytes, watch);
  if (as_it_will) return {header.kind.dtype, header.shape, std::move(bytes)};
  return parse_npy(bytes, section.name);
}

void read_npy_rows(const NpySection& section, const NpyHeader& header, std::int64_t first, const View& out) {
  if (out.count() == 0) return;
  if (header.fortran_order && header.shape.size() > 1) return read_columns(section, header, first, out);
  const std::int64_t row = out.count() / out.shape[0];
  read_run(section, header, first * row, out.count(), static_cast<std::byte*>(out.data));
}

}  // namespace posenc::io
