// SPDX-License-Identifier: Apache-2.0
// The checks of an .npy header: a cursor over foreign bytes that refuses with an offset.
#include "src/io/npy/npy_header.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <posenc/io/npy.h>
#include "src/base/quote.h"

namespace posenc::io {
namespace {

constexpr bool big_endian = std::endian::native == std::endian::big;

/// Why a type that NumPy knows is not read, by its letter; empty for a letter that is none.
std::string_view reason_against(char letter) {
  switch (letter) {
    case 'b': return "; booleans are not read";
    case 'c': return "; complex numbers are not read: save np.stack([z.real, z.imag], -1)";
    case 'O': return "; objects need pickle, which runs code";
    case 'M':
    case 'm': return "; dates and times are not read";
    case 'S':
    case 'a':
    case 'U': return "; text is not read";
    case 'V': return "; raw bytes are not read (bfloat16 has no .npy form)";
    default: return "";
  }
}

/// The bytes of a file and the place that is read next.
struct Cursor {
  std::string_view file;
  std::string_view name;
  std::size_t at = 0;
  std::size_t end = 0;

  bool next_is(char c) const { return at < end && file[at] == c; }
  /// Up to the next separator, at least one byte: what a message shows.
  std::string_view token() const {
    std::size_t stop = std::min(at + 1, end);
    while (stop < end && std::string_view(" ,:)}\n").find(file[stop]) == std::string_view::npos) ++stop;
    return file.substr(at, stop - at);
  }
  [[noreturn]] void refuse(std::string_view rule, std::string value) const {
    throw Error({std::string(npy_reading), std::string(rule),
                 std::move(value) + " at offset " + std::to_string(at) + " of " + quote(name, Keep::tail)});
  }
  [[noreturn]] void refuse(std::string_view rule) const {
    refuse(rule, at < end ? quote(token()) : "the end of the header");
  }
  void skip_spaces() {
    while (next_is(' ')) ++at;
  }
  void expect(char c, std::string_view rule) {
    skip_spaces();
    if (!next_is(c)) refuse(rule);
    ++at;
  }
};

void require_bytes(const Cursor& cursor, std::size_t need, std::string_view what) {
  if (cursor.file.size() >= need) return;
  cursor.refuse(
      std::string("the file is cut off: it must hold ") + std::string(what) + " up to byte " + std::to_string(need),
      std::to_string(cursor.file.size()) + " bytes");
}

/// Magic, version and length: afterwards the cursor stands on the dictionary and ends before its newline.
void read_preamble(Cursor& cursor) {
  constexpr std::string_view magic = "\x93NUMPY";
  const std::string_view file = cursor.file;
  const std::string_view start = file.substr(0, magic.size());
  if (start != magic.substr(0, start.size())) cursor.refuse("must start with the magic bytes \\x93NUMPY", quote(start));
  require_bytes(cursor, 8, "magic and version");
  cursor.at = 6;
  const int major = static_cast<unsigned char>(file[6]), minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    cursor.refuse("the version must be 1.0, 2.0 or 3.0", std::to_string(major) + "." + std::to_string(minor));
  }
  cursor.at = 8;
  const std::size_t dictionary = major == 1 ? 10 : 12;
  require_bytes(cursor, dictionary, "the length of the header");
  const auto* length_bytes = reinterpret_cast<const std::byte*>(file.data() + 8);
  const std::uint32_t length =
      major == 1 ? load<std::uint16_t>(length_bytes, big_endian) : load<std::uint32_t>(length_bytes, big_endian);
  if (length > npy_header_limit) {
    cursor.refuse("the header must have at most " + std::to_string(npy_header_limit) + " bytes",
                  std::to_string(length));
  }
  require_bytes(cursor, dictionary + length, "the header");

  cursor.end = dictionary + length;
  const std::string_view header = file.substr(0, cursor.end);
  if (length == 0 || header.back() != '\n')
    cursor.refuse("the header must end with a newline", std::to_string(length) + " bytes");
  --cursor.end;
  for (cursor.at = dictionary; cursor.at < cursor.end; ++cursor.at) {
    const char c = file[cursor.at];
    if (c >= ' ' && c <= '~') continue;
    const std::size_t symbol = utf8_length(file, cursor.at);
    if (major == 3 && symbol == 0) cursor.refuse("the header must be UTF-8", quote(file.substr(cursor.at, 1)));
    cursor.refuse("the header must be printable ASCII",
                  quote(file.substr(cursor.at, std::max<std::size_t>(symbol, 1))));
  }
  cursor.at = dictionary;
}

/// A text in single quotes, without escapes.
std::string_view read_string(Cursor& cursor, std::string_view rule) {
  cursor.skip_spaces();
  if (!cursor.next_is('\'')) cursor.refuse(rule);
  const std::size_t close = cursor.file.find('\'', cursor.at + 1);
  if (close >= cursor.end) cursor.refuse("a quoted text must be closed");
  const std::string_view text = cursor.file.substr(cursor.at + 1, close - cursor.at - 1);
  if (text.find('\\') != text.npos) cursor.refuse("a quoted text must have no escapes", quote(text));
  cursor.at = close + 1;
  return text;
}

constexpr std::string_view other_kind = "descr must be one of f2, f4, f8, i1 to i8 and u1 to u8 after its byte order",
                           other_structure = "descr must be a plain type";

void read_descr(Cursor& cursor, NpyHeader& header) {
  cursor.skip_spaces();
  if (cursor.next_is('[')) cursor.refuse(std::string(other_structure) + "; structured ones are not read");
  if (cursor.next_is('(')) cursor.refuse(std::string(other_structure) + "; sub-arrays are not read");
  const Cursor before = cursor;
  const std::string_view descr = read_string(cursor, "descr must be a text in single quotes such as '<f4'");
  const bool ordered = !descr.empty() && (descr[0] == '<' || descr[0] == '>' || descr[0] == '|');
  const std::string_view code = descr.substr(ordered ? 1 : 0);
  const Kind* kind = find_kind(code);
  if (kind == nullptr || !ordered) {
    before.refuse(std::string(other_kind) + " (<, > or |)" + std::string(code.empty() ? "" : reason_against(code[0])),
                  quote(descr));
  }
  if (descr[0] == '|' && kind->bytes > 1) before.refuse("descr must state a byte order, < or >", quote(descr));
  header.kind = *kind;
  header.swapped = kind->bytes > 1 && (descr[0] == '>') != big_endian;
}

bool read_bool(Cursor& cursor) {
  cursor.skip_spaces();
  const std::string_view token = cursor.token();
  if (token != "True" && token != "False") cursor.refuse("fortran_order must be True or False");
  cursor.at += token.size();
  return token == "True";
}

std::int64_t read_size(Cursor& cursor) {
  const std::string_view token = cursor.token();
  if (token.starts_with('-')) cursor.refuse("a size must not be negative");
  const bool decimal = token.find_first_not_of("0123456789") == token.npos && (token.size() == 1 || token[0] != '0');
  if (!decimal) cursor.refuse("a size must be a plain decimal number");
  std::int64_t size = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), size);
  if (error != std::errc{}) cursor.refuse("a size must be below 2^63");
  cursor.at += token.size();
  return size;
}

std::vector<std::int64_t> read_shape(Cursor& cursor) {
  constexpr std::string_view rule = "shape must be a tuple such as (3, 4), (3,) or ()";
  const Cursor before = cursor;
  cursor.expect('(', rule);
  std::vector<std::int64_t> shape;
  bool comma = true;  // () needs none
  for (cursor.skip_spaces(); !cursor.next_is(')'); cursor.skip_spaces()) {
    if (!comma || cursor.at == cursor.end || cursor.next_is(',')) cursor.refuse(rule);
    if (shape.size() == max_rank) {
      cursor.refuse("an array must have at most " + std::to_string(max_rank) + " axes", "more");
    }
    shape.push_back(read_size(cursor));
    cursor.skip_spaces();
    comma = cursor.next_is(',');
    if (comma) ++cursor.at;
  }
  if (shape.size() == 1 && !comma) before.refuse("shape must be a tuple: one axis is written (3,)");
  ++cursor.at;
  return shape;
}

void read_dictionary(Cursor& cursor, NpyHeader& header) {
  constexpr std::array<std::string_view, 3> keys = {"descr", "fortran_order", "shape"};
  std::array<bool, keys.size()> seen = {};
  if (!cursor.next_is('{')) cursor.refuse("the header must be a dictionary");
  ++cursor.at;
  for (cursor.skip_spaces(); !cursor.next_is('}'); cursor.skip_spaces()) {
    const Cursor before = cursor;
    const std::string_view key = read_string(cursor, "a key must be a text in single quotes");
    cursor.expect(':', "a key must be followed by a colon");
    const auto which = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (which == keys.size()) before.refuse("the keys must be descr, fortran_order and shape", quote(key));
    if (std::exchange(seen[which], true)) before.refuse("a key must stand only once", quote(key));
    if (key == "descr") read_descr(cursor, header);
    if (key == "fortran_order") header.fortran_order = read_bool(cursor);
    if (key == "shape") header.shape = read_shape(cursor);
    cursor.skip_spaces();
    if (cursor.next_is('}')) break;
    cursor.expect(',', "a value must be followed by a comma or the closing brace");
  }
  const Cursor closing = cursor;
  ++cursor.at;
  cursor.skip_spaces();
  if (cursor.at != cursor.end) cursor.refuse("only spaces may follow the closing brace");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!seen[i]) closing.refuse("the header must have the key " + std::string(keys[i]), "none");
  }
}

/// Limits and products by checked arithmetic (sizes of 0 apart, as NumPy does), then against the bytes that are there.
void check_sizes(const Cursor& cursor, const NpyHeader& header, std::uint64_t size) {
  const auto stored = static_cast<std::int64_t>(size_of(header.kind.dtype));  // never below kind.bytes
  const std::string got = quote(tuple_text(header.shape));
  std::int64_t bytes = stored;
  for (const std::int64_t axis : header.shape) {
    if (axis != 0 && __builtin_mul_overflow(bytes, axis, &bytes)) {
      cursor.refuse("the product of the sizes overflows: bytes must be below 2^63", got);
    }
  }
  if (std::ranges::any_of(header.shape, [](std::int64_t axis) { return axis > npy_dimension_limit; })) {
    cursor.refuse("a size must be at most 2^48", got);
  }
  if (bytes / stored > npy_element_limit) cursor.refuse("an array must have at most 2^53 elements", got);

  const bool empty = std::ranges::find(header.shape, 0) != header.shape.end();
  const auto need = static_cast<std::uint64_t>(empty ? 0 : bytes / stored * header.kind.bytes);
  const std::uint64_t have = size - header.data;
  if (have == need) return;
  const std::string rule =
      have < need ? "the file is cut off: the elements need " : "no bytes may follow the elements, which need ";
  cursor.refuse(rule + std::to_string(need) + " bytes", std::to_string(have));
}

}  // namespace

bool is_of_another_type(const Problem& problem) {
  return problem.rule.starts_with(other_kind) || problem.rule.starts_with(other_structure);
}

std::string tuple_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view name) {
  return read_npy_header(bytes, bytes.size(), name);
}

NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t size, std::string_view name) {
  const std::string_view file(reinterpret_cast<const char*>(start.data()), start.size());
  Cursor cursor = {file, name};
  read_preamble(cursor);
  NpyHeader header = {};
  read_dictionary(cursor, header);
  header.data = cursor.at = cursor.end + 1;
  check_sizes(cursor, header, size);
  return header;
}

std::string npy_type(const NpyHeader& header) {
  const bool big = header.swapped != big_endian;
  return (header.kind.bytes == 1 ? "|" : big ? ">" : "<") + std::string(header.kind.code);
}

}  // namespace posenc::io
