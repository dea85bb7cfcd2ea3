// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz archives: a hardened reader of the .npy files in them, stored or deflated.
//
// Thread safety: the functions are safe to call from any thread; one Npz belongs to one thread at a time, but for read,
// which any threads may call at once.
#pragma once

#include <posenc/io/tensor_map.h>

#include <memory>

namespace posenc::io {

/// Most members and largest directory that the reader takes. A member is limited as a file is, by npy_file_limit.
inline constexpr std::size_t npz_member_limit = 65536;
inline constexpr std::uint64_t npz_directory_limit = std::uint64_t{1} << 24;
/// A deflated member of more than so many bytes must not be more than so many times as large as what it is stored in.
inline constexpr std::uint64_t npz_inflated_limit = std::uint64_t{1} << 28;
inline constexpr std::uint64_t npz_ratio_limit = 256;

/// An array of an archive, without its elements.
struct NpzMember {
  std::string name;  // without .npy
  std::string type;  // as numpy.dtype.str: <f4; empty where elements of its type are not read
  DType dtype = {};  // what it is read as, see parse_npy; none of these
  std::vector<std::int64_t> shape;
};

/// An array of an archive.
struct NamedArray {
  std::string name;
  Array array;
};

/// All arrays in the bytes of an archive; `name` stands for the file in messages.
///
/// Errors: what is no ZIP archive of one file; one without members, with a comment, or with bytes that belong to
/// nothing; a directory that is cut off, or contradicts its end record or the headers of its members; members that
/// share bytes, are encrypted, or are neither stored nor deflated; a wrong CRC-32; data that inflate to more or less
/// than stated, or beyond the limits; names that come twice, do not end with .npy, are not UTF-8, have control bytes or
/// a backslash, or would lead out of a folder; and what parse_npy refuses of a member. Slashes in names are NumPy's way
/// to say "layer/weight" and mean no folders here. Archives of PyTorch are told as the pickles that they are. Nothing
/// is allocated before every size has been checked against the bytes that are there. Source: APPNOTE.TXT 6.3.10 of
/// PKWARE, RFC 1951, numpy.savez.
POSENC_EXPORT std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes, std::string_view name = "npz");
/// The problem that parse_npz would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_npz(std::span<const std::byte> bytes,
                                                             std::string_view name = "npz");

/// An open archive. Its directory and the headers of all members have been checked before there is an object; elements
/// are read, and their CRC-32 is checked, when they are asked for.
///
/// Errors: as read_file and parse_npz, and when the file has changed since it was opened.
class Npz {
 public:
  POSENC_EXPORT explicit Npz(std::string path);
  POSENC_EXPORT ~Npz();
  POSENC_EXPORT Npz(Npz&&) noexcept;
  Npz& operator=(Npz&&) = delete;

  /// In the order of the directory.
  POSENC_EXPORT const std::vector<NpzMember>& members() const;
  /// The array of that name, with or without .npy. Errors: there is none; the message lists the nearest names.
  POSENC_EXPORT const NpzMember& member(std::string_view name) const;
  /// All elements.
  POSENC_EXPORT Array read(std::string_view name, const Watch& watch = {}) const;
  /// All elements, where they stand in the file if the member is stored; it is read once for its CRC-32.
  POSENC_EXPORT TensorMap map(std::string_view name) const;
  /// Entries first, first + 1, ... along the first axis, as many as `out` has. `out` is row-major without gaps, has the
  /// type of the array, and its sizes after the first. The first call for a stored member reads all of it once, for its
  /// CRC-32; a deflated one is in memory whole from then on, until rows of another one are asked for. When reading
  /// itself fails, what `out` holds is not defined.
  POSENC_EXPORT void read_rows(std::string_view name, std::int64_t first, View out);

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace posenc::io
