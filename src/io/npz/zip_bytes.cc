// SPDX-License-Identifier: Apache-2.0
// Members piece by piece: zlib inflates them and makes their CRC-32.
#include "src/io/npz/zip_bytes.h"

#include <zlib.h>

#include <algorithm>

#include "src/base/quote.h"

namespace posenc::io {
namespace {

constexpr std::size_t input_size = std::size_t{1} << 16;

std::uint32_t crc_of(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

[[noreturn]] void refuse_member(const ByteSource& source, const ZipMember& member, const std::string& rule,
                                const std::string& value) {
  refuse_npz(source, rule, value + " in " + quote(member.name, Keep::head, 40), member.begin);
}

void require_crc(const ByteSource& source, const ZipMember& member, std::uint32_t crc) {
  if (crc == member.crc) return;
  refuse_member(source, member, "the CRC-32 of a member must be the " + std::to_string(member.crc) + " that is stated",
                std::to_string(crc));
}

/// The deflated bytes of a member on their way through zlib.
class Inflation {
 public:
  Inflation(const ByteSource& source, const ZipMember& member) : source_(source), member_(member), input_(input_size) {
    constexpr int raw = -15;  // no header, a window of 32 KiB
    if (inflateInit2(&stream_, raw) != Z_OK) {
      throw Error({std::string(npz_reading), "inflating must have memory", "none", {}, Cause::system});
    }
  }
  ~Inflation() { inflateEnd(&stream_); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  /// Fills `to`, which is no more than a step of zlib takes; fewer bytes than it has come at the end alone.
  std::size_t take(std::span<std::byte> to) {
    stream_.next_out = reinterpret_cast<unsigned char*>(to.data());
    stream_.avail_out = static_cast<unsigned>(to.size());
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) refill();
      const unsigned before = stream_.avail_in, room = stream_.avail_out;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      ended_ = result == Z_STREAM_END;
      const bool stuck = stream_.avail_in == before && stream_.avail_out == room;
      if (!ended_ && (result == Z_BUF_ERROR || (result == Z_OK && stuck))) {
        refuse_member(source_, member_, "the file is cut off: deflated bytes must have an end",
                      std::to_string(member_.stored) + " bytes");
      }
      if (result == Z_MEM_ERROR) {
        throw Error({std::string(npz_reading), "inflating must have memory", "none", {}, Cause::system});
      }
      if (!ended_ && result != Z_OK) {
        refuse_member(source_, member_, "deflated bytes must follow RFC 1951",
                      stream_.msg != nullptr ? "'" + std::string(stream_.msg) + "'" : "a preset dictionary");
      }
    }
    return to.size() - stream_.avail_out;
  }

  /// Deflated bytes behind the end, which belong to nothing.
  std::uint64_t unused() const { return member_.stored - taken_ + stream_.avail_in; }

 private:
  void refill() {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_size, member_.stored - taken_));
    source_.read(member_.begin + taken_, std::span(input_).first(count));
    taken_ += count;
    stream_.next_in = reinterpret_cast<unsigned char*>(input_.data());
    stream_.avail_in = static_cast<unsigned>(count);
  }

  const ByteSource& source_;
  const ZipMember& member_;
  std::vector<std::byte> input_;
  std::uint64_t taken_ = 0;  // deflated bytes that were read
  z_stream stream_ = {};
  bool ended_ = false;
};

/// Fills `to` from the start of a deflated member; gives the CRC-32 of what came.
std::uint32_t inflate_into(Inflation& inflation, const ByteSource& source, const ZipMember& member,
                           std::span<std::byte> to, const Watch& watch) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::uint32_t crc = crc_of(0, {});
  for (std::size_t done = 0; done < to.size();) {
    const std::span piece = to.subspan(done, std::min(step, to.size() - done));
    const std::size_t got = inflation.take(piece);
    crc = crc_of(crc, piece.first(got));
    done += got;
    if (got < piece.size()) {
      refuse_member(source, member, "a member must inflate to the " + std::to_string(member.size) + " bytes stated",
                    std::to_string(done));
    }
    if (watch) watch(done, to.size());
  }
  return crc;
}

}  // namespace

void read_zip_start(const ByteSource& source, const ZipMember& member, std::span<std::byte> to) {
  if (member.method == ZipMethod::stored) return source.read(member.begin, to);
  Inflation inflation(source, member);
  inflate_into(inflation, source, member, to, {});
}

void read_zip_member(const ByteSource& source, const ZipMember& member, std::span<std::byte> to, const Watch& watch) {
  if (member.method == ZipMethod::stored) {
    source.read(member.begin, to, watch);
    return require_crc(source, member, crc_of(0, to));
  }
  Inflation inflation(source, member);
  const std::uint32_t crc = inflate_into(inflation, source, member, to, watch);
  std::array<std::byte, 1> beyond;
  if (inflation.take(beyond) > 0) {
    refuse_member(source, member, "a member must inflate to the " + std::to_string(member.size) + " bytes stated",
                  "more");
  }
  if (inflation.unused() != 0) {
    refuse_member(source, member, "no bytes may follow the end of what is deflated",
                  std::to_string(inflation.unused()));
  }
  require_crc(source, member, crc);
}

void check_stored(const ByteSource& source, const ZipMember& member) {
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(member.size, std::size_t{1} << 20)));
  std::uint32_t crc = crc_of(0, {});
  for (std::uint64_t done = 0; done < member.size;) {
    const std::span some(piece.data(),
                         static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), member.size - done)));
    source.read(member.begin + done, some);
    crc = crc_of(crc, some);
    done += some.size();
  }
  require_crc(source, member, crc);
}

}  // namespace posenc::io
