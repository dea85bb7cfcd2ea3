// SPDX-License-Identifier: Apache-2.0
// GGUF, the files of models that llama.cpp reads: a hardened reader of metadata and of single tensors.
//
// A file is a header (little-endian: keys with typed values; names, sizes, types and offsets of tensors), zeros up to
// the alignment, and one tensor after another, each filled up with zeros. Thread safety: the functions are safe to call
// from any thread; const use of one Gguf is safe.
#pragma once

#include <posenc/convention.h>
#include <posenc/io/safetensors.h>

#include <memory>
#include <variant>

namespace posenc::io {

/// Limits of the reader: all of the header, keys, tensors, a key, a string, the items of an array, those of them that
/// are kept, the name of a tensor, its axes, and the alignment. Sizes and elements of tensors are limited as in npy.h.
inline constexpr std::uint64_t gguf_header_limit = std::uint64_t{1} << 28;
inline constexpr std::uint64_t gguf_key_limit = 65536;
inline constexpr std::uint64_t gguf_tensor_limit = 65536;
inline constexpr std::uint64_t gguf_key_size_limit = 65535;
inline constexpr std::uint64_t gguf_string_limit = std::uint64_t{1} << 24;
inline constexpr std::uint64_t gguf_array_limit = std::uint64_t{1} << 24;
inline constexpr std::uint64_t gguf_kept_items = 1024;
inline constexpr std::uint64_t gguf_name_limit = 64;
inline constexpr std::uint32_t gguf_rank_limit = 4;
inline constexpr std::uint32_t gguf_alignment_limit = 1 << 20;

// ---- metadata -----------------------------------------------------------------------------------

/// Integers of types i8 to i64 are int64, those of u8 to u64 are uint64, f32 and f64 are double.
using GgufScalar = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

/// An array of the metadata. A vocabulary has some 100,000 items, which say nothing about positions: all are checked,
/// the first gguf_kept_items are kept.
struct GgufArray {
  std::string_view type;  // of an item, as in GgufEntry
  std::uint64_t count = 0;
  std::vector<GgufScalar> items;
};

/// A key and its value.
struct GgufEntry {
  std::string key;
  std::string_view type;  // u8 i8 u16 i16 u32 i32 f32 bool string array u64 i64 f64
  std::variant<GgufScalar, GgufArray> value;
};

/// What a file says it holds, every word of it checked.
struct GgufHeader {
  std::uint32_t version = 0;
  std::vector<GgufEntry> metadata;    // in the order of the file
  std::vector<StoredTensor> tensors;  // in the order of their bytes; `type` is ggml's name: F16, Q4_K
  std::uint64_t alignment = 0;
  std::uint64_t data = 0;  // offset in the file of the tensors' bytes

  /// The entry of that key; nullptr where there is none.
  POSENC_EXPORT const GgufEntry* find(std::string_view key) const;
};

/// The header of the file in `bytes`; `name` stands for the file in messages. Sizes of tensors are turned round, since
/// the file has the fastest axis first.
///
/// Errors: versions other than 2 and 3, big-endian files; counts, lengths, names and types beyond the format or the
/// limits; a key or a tensor that comes twice; arrays of arrays; strings that are not UTF-8, keys that are not ASCII;
/// booleans beyond 1; an alignment that is no power of two from 8 on; a size of 0; a product that overflows; a
/// quantised row that does not fill its blocks; tensors that overlap, leave a hole or come in another order; padding
/// that is not zero; a file that ends early or late; one part of several. Time and memory are bounded by the limits.
/// Source: docs/gguf.md of ggml-org/ggml; blocks as in its ggml-common.h.
POSENC_EXPORT GgufHeader parse_gguf(std::span<const std::byte> bytes, std::string_view name = "gguf");
/// The problem that parse_gguf would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_gguf(std::span<const std::byte> bytes,
                                                              std::string_view name = "gguf");

/// What the metadata say about positions; a key that is not there is nothing.
struct GgufRope {
  std::string architecture;                             // general.architecture, ARCH in the keys below
  std::optional<std::int64_t> context_length;           // ARCH.context_length
  std::optional<std::int64_t> head;                     // ARCH.attention.key_length, or embedding_length / head_count
  std::optional<std::int64_t> dimension_count;          // ARCH.rope.dimension_count: columns of a head that turn
  std::vector<std::int64_t> sections;                   // ARCH.rope.dimension_sections: pairs of each axis
  std::optional<double> freq_base;                      // ARCH.rope.freq_base
  std::string scaling;                                  // ARCH.rope.scaling.type: none, linear, yarn, longrope
  std::optional<double> factor;                         // ARCH.rope.scaling.factor, or, of 2023, ARCH.rope.scale_linear
  std::optional<double> attn_factor;                    // ARCH.rope.scaling.attn_factor
  std::optional<std::int64_t> original_context_length;  // ARCH.rope.scaling.original_context_length
  std::optional<double> fast, slow;  // ARCH.rope.scaling.yarn_beta_fast and yarn_beta_slow, where llama.cpp reads them
  std::optional<double> gain_all;    // ARCH.rope.scaling.yarn_log_multiplier, where llama.cpp reads it
  std::optional<double> sliding_base;  // of layers with a window, where theirs is another (Gemma 3)
  std::vector<std::string> unread;  // further keys of ARCH.rope: llama.cpp does not read them of ARCH, or nobody here
};

/// Errors: no architecture; a value of another type than its key has; a count below 1 or beyond 2^31 - 1; an odd
/// dimension_count, or one beyond the head; a base or factor that is not positive and finite; another type of scaling.
POSENC_EXPORT GgufRope rope_of(const GgufHeader& header, std::string_view name = "gguf");
/// The problem that rope_of would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_rope_of(const GgufHeader& header,
                                                                 std::string_view name = "gguf");

/// The rotation that these keys mean to llama.cpp: its pairing by the architecture, adjacent where converters permute
/// the rows of queries and keys (llama), in halves where they do not (qwen2); the base, 10000 unless stated; linear and
/// YaRN scaling. Nothing of an architecture that is not known or does not turn, of several axes, of heads that turn at
/// their end (DeepSeek), of longrope, whose factors are tensors, and of YaRN with a further factor of attention.
/// Source: llama_model_rope_type and the rope parameters of ggml-org/llama.cpp.
POSENC_EXPORT std::optional<Convention> rotation_of(const GgufRope& rope);
/// The rotation of layers with a sliding window, where it is another: sliding_base without a scaling.
POSENC_EXPORT std::optional<Convention> sliding_rotation_of(const GgufRope& rope);

// ---- tensors ------------------------------------------------------------------------------------

/// An open GGUF file. All of its header has been checked before there is an object; tensors are read when they are
/// asked for, by read(), and mapped by map() alone.
///
/// Errors: as read_file and parse_gguf, and when the file has changed since it was opened.
class Gguf {
 public:
  POSENC_EXPORT explicit Gguf(std::string path);
  POSENC_EXPORT ~Gguf();
  POSENC_EXPORT Gguf(Gguf&&) noexcept;
  Gguf& operator=(Gguf&&) = delete;

  POSENC_EXPORT const GgufHeader& header() const;
  /// The tensor of that name. Errors: there is none; the message lists the nearest names.
  POSENC_EXPORT const StoredTensor& tensor(std::string_view name) const;
  /// All elements. F32, F16, BF16, F64, I32 and I64 are read, bit for bit; any other type is refused by its name.
  POSENC_EXPORT Array read(std::string_view name, const Watch& watch = {}) const;
  /// The same, where they stand in the file.
  POSENC_EXPORT TensorMap map(std::string_view name) const;
  /// Entries first, first + 1, ... along the first axis, as many as `out` has. `out` is row-major without gaps, has the
  /// type of the tensor, and its sizes after the first. When reading itself fails, what `out` holds is not defined.
  POSENC_EXPORT void read_rows(std::string_view name, std::int64_t first, View out) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace posenc::io
