// SPDX-License-Identifier: Apache-2.0
// The arrays of an .npz archive: each member an .npy file, its header first, its elements on demand.
#include <posenc/io/npz.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/nearest_names.h"
#include "src/io/files/row_range.h"
#include "src/io/npy/npy_rows.h"
#include "src/io/npz/zip_bytes.h"

namespace posenc::io {
namespace {

/// How messages call a member: archive.npz:member.npy.
std::string place_of(const ByteSource& source, const ZipMember& member) { return source.name() + ":" + member.name; }

NpyHeader header_of(const ByteSource& source, const ZipMember& member) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(member.size, npy_start)));
  read_zip_start(source, member, start);
  return read_npy_header(start, member.size, place_of(source, member));
}

std::vector<std::byte> room_for(const ByteSource& source, const ZipMember& member) {
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<std::size_t>(member.size));
  } catch (const std::bad_alloc&) {
    fail_with(npz_reading, "the array must fit in memory", place_of(source, member), ENOMEM);
  }
  return bytes;
}

Array read_array(const ByteSource& source, const ZipMember& member, const NpyHeader& header, const Watch& watch) {
  std::vector<std::byte> bytes = room_for(source, member);
  read_zip_member(source, member, bytes, watch);
  if (!stands_as_it_will(header)) return parse_npy(bytes, place_of(source, member));
  // A large table is in memory once: its header goes, its elements stay.
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header.data));
  return {header.kind.dtype, header.shape, std::move(bytes)};
}

std::string_view without_ending(std::string_view name) { return name.substr(0, name.size() - 4); }

}  // namespace

struct Npz::Opened {
  ByteSource source;
  std::vector<ZipMember> stored;  // in the order of the directory, as the three below
  std::vector<NpyHeader> headers;
  std::vector<std::optional<Problem>>
      problems;  // of members whose type is not read: those of a call that asks for them
  std::vector<NpzMember> members;
  std::vector<std::size_t> by_name;  // indices of members, sorted by name
  std::vector<bool> checked;         // whether the CRC-32 of a stored member was found right
  std::size_t latest = 0;            // whose rows were asked for, of deflated members
  std::optional<Array> array;        // of that one

  explicit Opened(ByteSource from) : source(std::move(from)), stored(read_zip_directory(source)) {
    for (const ZipMember& each : stored) add(each);
    by_name.resize(members.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    std::ranges::sort(by_name, {}, [&](std::size_t i) -> std::string_view { return members[i].name; });
    checked.resize(members.size());
  }

  void add(const ZipMember& member) {
    NpzMember& listed = members.emplace_back();
    listed.name = without_ending(member.name);
    std::optional<Problem>& problem = problems.emplace_back();
    NpyHeader& header = headers.emplace_back();
    try {
      header = header_of(source, member);
      listed.type = npy_type(header), listed.dtype = header.kind.dtype, listed.shape = header.shape;
    } catch (const Error& error) {
      if (!is_of_another_type(error.problem())) throw;
      problem = error.problem();
    }
  }

  std::optional<std::size_t> find(std::string_view name) const {
    const auto name_of = [&](std::size_t i) -> std::string_view { return members[i].name; };
    const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
    if (found == by_name.end() || name_of(*found) != name) return std::nullopt;
    return *found;
  }

  std::size_t index_of(std::string_view name) const {
    auto found = find(name);
    if (!found && name.ends_with(".npy")) found = find(without_ending(name));
    if (found && problems[*found]) throw Error(*problems[*found]);
    if (found) return *found;
    std::vector<std::string_view> names;
    for (const NpzMember& member : members) names.push_back(member.name);
    throw Error({std::string(npz_reading),
                 "the array must be one of the file's " + std::to_string(names.size()) + such_as(names, name),
                 quote(name, Keep::head, 40) + " of " + quote(source.name(), Keep::tail)});
  }

  Array read(std::size_t at, const Watch& watch) const { return read_array(source, stored[at], headers[at], watch); }
};

Npz::Npz(std::string path) : opened_(std::make_unique<Opened>(ByteSource(npz_reading, std::move(path)))) {}
Npz::~Npz() = default;
Npz::Npz(Npz&&) noexcept = default;

const std::vector<NpzMember>& Npz::members() const { return opened_->members; }

const NpzMember& Npz::member(std::string_view name) const { return opened_->members[opened_->index_of(name)]; }

Array Npz::read(std::string_view name, const Watch& watch) const {
  return opened_->read(opened_->index_of(name), watch);
}

TensorMap Npz::map(std::string_view name) const {
  const Opened& file = *opened_;
  const std::size_t at = file.index_of(name);
  const ZipMember& stored = file.stored[at];
  if (stored.method != ZipMethod::stored || !has_same_elements(file.headers[at])) return TensorMap(file.read(at, {}));
  if (!file.checked[at]) check_stored(file.source, stored);
  const std::string place = place_of(file.source, stored);
  return map_npy_section({file.source, stored.begin, stored.size, place}, file.headers[at]);
}

void Npz::read_rows(std::string_view name, std::int64_t first, View out) {
  Opened& file = *opened_;
  const std::size_t at = file.index_of(name);
  const ZipMember& stored = file.stored[at];
  const NpzMember& member = file.members[at];
  require_rows({npz_reading, member.dtype, member.shape, member.name, file.source.name()}, first, out);
  if (stored.method == ZipMethod::stored) {
    if (!file.checked[at]) check_stored(file.source, stored);
    file.checked[at] = true;
    const std::string place = place_of(file.source, stored);
    return read_npy_rows({file.source, stored.begin, stored.size, place}, file.headers[at], first, out);
  }
  if (!file.array || file.latest != at) {
    file.array.reset();
    file.array = file.read(at, {});
    file.latest = at;
  }
  const auto size = static_cast<std::size_t>(out.count()) * size_of(out.dtype);
  if (size == 0) return;
  const std::size_t row = file.array->data.size() / static_cast<std::size_t>(member.shape[0]);
  std::memcpy(out.data, file.array->data.data() + static_cast<std::size_t>(first) * row, size);
}

std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes, std::string_view name) {
  const ByteSource source(npz_reading, bytes, name);
  std::vector<NamedArray> arrays;
  for (const ZipMember& member : read_zip_directory(source)) {
    const NpyHeader header = header_of(source, member);
    arrays.push_back({std::string(without_ending(member.name)), read_array(source, member, header, {})});
  }
  return arrays;
}

std::optional<Problem> check_npz(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] { parse_npz(bytes, name); });
}

}  // namespace posenc::io
