// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files: a hardened reader, and atomic writers of whole arrays and of streams.
//
// Thread safety: all functions are safe to call from any thread; one NpyStream belongs to one thread at a time.
#pragma once

#include <posenc/io/file.h>

namespace posenc::io {

/// A tensor that owns its elements, in row-major order.
struct Array {
  DType dtype = {};
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  /// All elements; valid as long as this array and its data.
  POSENC_EXPORT ConstView view() const;
};

/// Largest header, dimension and number of elements that the reader takes, and the writers of arrays make. Sizes beside
/// a 0 are multiplied too.
inline constexpr std::uint32_t npy_header_limit = 65536;
inline constexpr std::int64_t npy_dimension_limit = std::int64_t{1} << 48;
inline constexpr std::int64_t npy_element_limit = std::int64_t{1} << 53;
/// Largest file that read_npy takes unless told otherwise.
inline constexpr std::uint64_t npy_file_limit = std::uint64_t{1} << 36;

/// The array in the bytes of an .npy file; `name` stands for the file in messages.
///
/// Types: f2 f4 f8 become f16 f32 f64 with the same bits; i1 i2 i4 u1 u2 become i32; u4 i8 u8 become i64. Either byte
/// order, either axis order (fortran_order), versions 1.0, 2.0 and 3.0, at most max_rank axes.
/// Errors: anything else, with the offset in the file; a u8 beyond int64, with its index. Nothing is allocated before
/// every size has been checked against the bytes that are there. The header is data, never evaluated: the keys descr,
/// fortran_order and shape once each, plain decimal sizes, single quotes, spaces, and nothing more of Python.
/// Source: NumPy Enhancement Proposal 1 and numpy.lib.format.
POSENC_EXPORT Array parse_npy(std::span<const std::byte> bytes, std::string_view name = "npy");
/// The problem that parse_npy would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_npy(std::span<const std::byte> bytes,
                                                             std::string_view name = "npy");
/// The array in a regular file. One whose elements stand as they will (little-endian, rows, no wider type here) is in
/// memory once, any other beside its file. Errors: as read_file and parse_npy.
POSENC_EXPORT Array read_npy(const std::string& path, std::uint64_t limit = npy_file_limit, const Watch& watch = {});

/// The bytes that numpy.save (NumPy 2) puts before the elements of a row-major array: version 1.0, the dictionary,
/// spaces up to a multiple of 64 and a newline. Throws for a type without .npy form (bf16), more than max_rank axes
/// and negative sizes.
POSENC_EXPORT std::string npy_header(DType dtype, std::span<const std::int64_t> shape);

/// The file that numpy.save (NumPy 2, on a little-endian machine) writes for a row-major copy of the view.
/// Types: f16, f32, f64, i32, i64, any strides; bf16 is refused, since the format has no such type.
POSENC_EXPORT std::vector<std::byte> npy_bytes(const ConstView& view);
/// The same file under that path, as FileWriter does: whole, or not at all.
POSENC_EXPORT void write_npy(const std::string& path, const ConstView& view, const WriteOptions& options = {});
/// The problem that npy_bytes would throw, or nothing; also what write_npy asks before it touches a file.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_npy_bytes(const ConstView& view);

/// A size that is known only when all elements have been written.
inline constexpr std::int64_t unknown_size = -1;

/// An .npy file whose elements come piece by piece.
///
/// One size of the shape may be unknown. Then the header gets the room that 2^48 in its place would need, and is
/// written over at the end; the target must be a regular file. NumPy leaves room too: the file is byte by byte
/// numpy.save's when the first size is the unknown one, or when there are at most three axes; otherwise spaces may fill
/// the difference.
class NpyStream {
 public:
  /// Errors: as npy_bytes; two unknown sizes; one beside a 0; one for a device or a pipe.
  POSENC_EXPORT NpyStream(std::string path, DType dtype, std::vector<std::int64_t> shape,
                          const WriteOptions& options = {});
  /// More elements, in row-major order, whatever the shape of the piece.
  POSENC_EXPORT void write(const ConstView& piece);
  /// The end. Errors: the elements do not fill the shape.
  POSENC_EXPORT void commit();
  /// The end but for the name, which FileWriter::commit_all gives it along with other files.
  POSENC_EXPORT FileWriter& finish();

 private:
  DType dtype_;
  std::vector<std::int64_t> shape_;
  std::string header_;         // that of the largest shape
  std::int64_t elements_ = 0;  // so far
  FileWriter file_;
};

}  // namespace posenc::io
