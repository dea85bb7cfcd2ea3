// SPDX-License-Identifier: Apache-2.0
// Archives that parse_npz must refuse: an id, the bytes, and words of the message.
//
// Ids without a row of their own, and why:
// N01 to N81     of .npy: npy_catalogue_test.cc; a member is read by the same functions
// N102, N103     an archive that stands, from which an array is wanted: npz_test.cc and the end of this file
#include <gtest/gtest.h>
#include <posenc/io/npz.h>
#include <posenc/io/tensor_files.h>

#include "tests/io/refused_files.h"
#include "tests/io/scratch.h"
#include "tests/io/zip_files.h"

namespace posenc::io {
namespace {

const std::string kNpy = npy_file(npy_dictionary("'<f4'", "False", "(4,)"), std::string(16, '\0'));
const std::string kGoodZip = zip_archive({zip_stored("w.npy", kNpy)});

ZipPart good() { return zip_stored("w.npy", kNpy); }

/// An archive of one member, changed by `change`.
std::string one(ZipPart part, const auto& change) {
  change(part);
  return zip_archive({part});
}
std::string stored(const auto& change) { return one(good(), change); }
std::string deflated(const auto& change) { return one(zip_deflated("w.npy", kNpy), change); }
std::string named(const std::string& name) {
  return stored([&](ZipPart& part) { part.name = name; });
}
std::string with_method(std::uint64_t method) {
  return stored([&](ZipPart& part) { part.method = method; });
}
std::string with_flags(std::uint64_t flags) {
  return stored([&](ZipPart& part) { part.flags = flags; });
}

std::vector<RefusedFile> broken_ends() {
  const std::string end_only = zip_archive({});
  std::string parts = kGoodZip;
  parts[parts.size() - 18] = 1;
  std::string locator = zip_archive({good()}, {.zip64 = true});
  locator[locator.size() - 22 - 12] = static_cast<char>(locator[locator.size() - 22 - 12] + 1);
  std::string both = zip_archive({good()}, {.zip64 = true});
  for (std::size_t back = 11; back <= 14; ++back) both[both.size() - back] = 2;
  return {
      {"N82", "hello, this is no archive", "must start with PK\\x03\\x04, got 'hell' at offset 0"},
      {"empty", "", "must start with PK\\x03\\x04, got ''"},
      {"an .npy file", kNpy, "must start with PK\\x03\\x04"},
      {"first bytes alone", "PK\x03\x04", "the file is cut off or has a comment: an archive must end"},
      {"N83", end_only, "an archive must have a member, got none"},
      {"N84", kGoodZip.substr(0, kGoodZip.size() - 1), "the file is cut off or has a comment"},
      {"N84b", kGoodZip.substr(0, kGoodZip.size() - 22), "the file is cut off or has a comment"},
      {"a comment", zip_archive({good()}, {.comment = "hello"}), "the file is cut off or has a comment"},
      {"bytes behind the end", kGoodZip + "x", "the file is cut off or has a comment"},
      {"N85", zip_archive({good()}, {.members = 65'535}), "must hold as many members as its end record says, got ''"},
      {"fewer than there are", zip_archive({good(), zip_stored("v.npy", kNpy)}, {.members = 1}),
       "must hold as many members as its end record says, 1, got more"},
      {"N86", zip_archive({good()}, {.begin = 1 << 20}), "the directory must end where its end record begins, at "},
      {"directory too large", zip_archive({good()}, {.size = 1 << 20}), "must end where its end record begins"},
      {"directory too small", zip_archive({good()}, {.size = 46}), "must end where its end record begins"},
      {"directory that wraps", zip_archive({good()}, {.begin = ~std::uint64_t{0}, .size = 2, .zip64 = true}),
       "got 2 bytes from 18446744073709551615"},
      {"parts", parts, "an archive must be one file, got parts"},
      {"N100", zip_archive({good()}, {.members = 1'000'000, .zip64 = true}), "at most 65536 members, got 1000000"},
      {"2^64 - 1 members", zip_archive({good()}, {.members = ~std::uint64_t{0}, .zip64 = true}),
       "at most 65536 members"},
      {"a locator of another place", locator, "ZIP64's end record must stand before its locator"},
      {"end records that differ", both, "both end records must say the same, got 514 and 1"},
  };
}

std::vector<RefusedFile> broken_members() {
  const auto overlap = [](std::uint64_t header) {
    ZipPart second = zip_stored("w.npy", kNpy);
    second.header = header;
    return zip_archive({good(), second});
  };
  // A member whose bytes are another one with its header.
  const std::string inner = zip_archive({zip_stored("v.npy", kNpy)});
  const ZipPart outer = zip_stored("w.npy", inner.substr(0, inner.find("PK\x01\x02")));
  ZipPart within = zip_stored("v.npy", kNpy);
  within.header = 35;
  return {
      {"N87", zip_archive({outer, within}), "members must not share bytes, nor leave some between them"},
      {"N87b", stored([](ZipPart& part) { part.bytes += "x"; }),
       "no bytes may stand between the members and the directory, got 1"},
      {"a hole at the start", stored([](ZipPart& part) { part.before = "PK\x03\x04"; }),
       "the next byte is 0, got 'w.npy' at offset 4"},
      {"a hole between",
       zip_archive({good(),
                    [] {
                      ZipPart part = zip_stored("v.npy", kNpy);
                      part.before = "hole";
                      return part;
                    }()}),
       "members must not share bytes, nor leave some between them"},
      {"header beyond the directory", stored([](ZipPart& part) { part.header = 1 << 20; }),
       "here its place, got 'w.npy'"},
      {"header elsewhere", stored([](ZipPart& part) { part.header = 1; }), "here its first bytes"},
      {"N98", overlap(0), "a member must stand only once, got 'w.npy'"},
      {"N88", with_method(12), "a member must be stored or deflated, got method 12 (bzip2)"},
      {"N88b", with_method(14), "got method 14 (LZMA)"},
      {"deflate64", with_method(9), "got method 9 (deflate64)"},
      {"zstd", with_method(93), "got method 93 (zstd)"},
      {"N89", with_flags(1), "a member must not be encrypted"},
      {"strong encryption", with_flags(1 << 6), "a member must not be encrypted"},
      {"masked headers", with_flags(1 << 13), "a member must not be encrypted"},
      {"unknown flags", with_flags(1 << 5), "a member must have known flags, got 32"},
      {"N96", named("../w.npy"), "the name of a member must not lead out of a folder, got '../w.npy'"},
      {"absolute", named("/w.npy"), "must not lead out of a folder"},
      {"backslash", named("..\\w.npy"), "must not lead out of a folder"},
      {"dots inside", named("a/../../w.npy"), "must not lead out of a folder"},
      {"empty part", named("a//w.npy"), "must not lead out of a folder"},
      {"N97", named(std::string("w\0.npy", 6)), "must have no control bytes, got 'w\\x00.npy'"},
      {"escape", named("\x1b[31m.npy"), "must have no control bytes"},
      {"no UTF-8", named("w\xE9.npy"), "the name of a member must be UTF-8, got 'w\\xE9.npy'"},
      {"N99", named("w.txt"), "a member must be an .npy file, by its name, got 'w.txt'"},
      {"no name", named(""), "must not lead out of a folder"},
      {"a folder", named("w.npy/"), "must not lead out of a folder"},
      {"PyTorch", zip_archive({zip_stored("archive/data.pkl", "\x80\x02}q"), zip_stored("archive/version", "3\n")}),
       "safetensors.torch.save_file(state_dict, \"model.safetensors\"), got 'archive/data.pkl'"},
      {"an extra field that runs out", stored([](ZipPart& part) { part.directory_extra = "\1"; }),
       "an extra field must end within its record"},
      {"an extra field too long",
       stored([](ZipPart& part) { part.local_extra = little_endian(7, 2) + little_endian(2, 2) + "x"; }),
       "an extra field must end within its record"},
      {"ZIP64 twice", stored([](ZipPart& part) { part.directory_extra = zip64_extra({1}) + zip64_extra({1}); }),
       "ZIP64's extra field must stand only once"},
      {"ZIP64 missing", stored([](ZipPart& part) { part.size = 0xFFFFFFFF; }),
       "a size of 2^32 - 1 needs ZIP64's extra field"},
      {"an entry that runs out", zip_archive({good()}, {.members = 2}),
       "must hold as many members as its end record says"},
  };
}

std::vector<RefusedFile> broken_agreements() {
  ZipPart later = zip_deflated("w.npy", kNpy);
  later.flags = 8;
  later.crc.local = later.stored.local = later.size.local = 0;
  const auto behind = [&](const std::string& bytes) {
    ZipPart part = later;
    part.behind = bytes;
    return zip_archive({part});
  };
  const std::string sizes = little_endian(later.stored.directory, 4) + little_endian(later.size.directory, 4);
  return {
      {"name", stored([](ZipPart& part) { part.local_name = "v.npy"; }), "here its name"},
      {"method", stored([](ZipPart& part) { part.method.local = 8; }), "here its method"},
      {"flags", stored([](ZipPart& part) { part.flags.local = 2; }), "here its flags"},
      {"CRC-32", stored([](ZipPart& part) { part.crc.local ^= 1; }), "here its CRC-32"},
      {"size", stored([](ZipPart& part) { part.size.local += 1; }), "here its size"},
      {"stored size", stored([](ZipPart& part) { part.stored.local += 1; }), "here its stored size"},
      {"size unknown without a descriptor", stored([](ZipPart& part) { part.size.local = 0; }), "here its size"},
      {"no descriptor", behind(""), "the descriptor behind a member must repeat its CRC-32 and sizes, got 'w.npy'"},
      {"wrong descriptor", behind(little_endian(1, 4) + sizes), "the descriptor behind a member"},
      {"long descriptor", behind(little_endian(later.crc.directory, 4) + sizes + "x"),
       "the descriptor behind a member"},
  };
}

std::vector<RefusedFile> broken_bytes() {
  const std::string short_npy = kNpy.substr(0, kNpy.size() - 1);
  return {
      {"N90", stored([](ZipPart& part) { part.crc = 1; }), "the CRC-32 of a member must be the 1 that is stated, got "},
      {"N90b", deflated([](ZipPart& part) { part.crc = 1; }), "the CRC-32 of a member must be the 1 that is stated"},
      {"N91", deflated([](ZipPart& part) {
         part.bytes.resize(part.bytes.size() - 3);
         part.stored = part.bytes.size();
       }),
       "the file is cut off: deflated bytes must have an end, got "},
      // Fixed codes (RFC 1951, 3.2.6): a match of 3 bytes at distance 1 with nothing before it.
      {"N92", deflated([](ZipPart& part) {
         part.bytes = std::string("\x03\x02\x00\x00", 4);
         part.stored = part.bytes.size();
       }),
       "deflated bytes must follow RFC 1951, got 'invalid distance too far back'"},
      {"block type 3", deflated([](ZipPart& part) { part.bytes[0] = 7; }), "got 'invalid block type'"},
      {"N93", deflated([](ZipPart& part) {
         part.bytes = zip_deflated(kNpy + "more");
         part.stored = part.bytes.size();
       }),
       "a member must inflate to the "},
      {"N94", deflated([](ZipPart& part) { part.size = part.size.directory + 1; }),
       "inflate to the 85 bytes stated, got 84"},
      {"N94b", deflated([](ZipPart& part) {
         part.bytes = zip_deflated(kNpy.substr(0, kNpy.size() - 1));
         part.stored = part.bytes.size();
       }),
       "a member must inflate to the "},
      {"bytes behind what is deflated", deflated([](ZipPart& part) {
         part.bytes += "xy";
         part.stored = part.bytes.size();
       }),
       "no bytes may follow the end of what is deflated, got 2"},
      {"N95", stored([](ZipPart& part) {
         part.stored = part.size = 0xFFFFFFFF;
         part.directory_extra = part.local_extra = zip64_extra({std::uint64_t{1} << 63, std::uint64_t{1} << 63});
       }),
       "a member must have at most 68719476736 bytes, got 9223372036854775808"},
      {"beyond the archive", stored([](ZipPart& part) { part.stored = part.size = 1 << 20; }),
       "a member must be within the archive"},
      {"into the directory", stored([](ZipPart& part) { part.stored = part.size = kNpy.size() + 10; }),
       "here its stored size"},
      {"stored of another size", stored([](ZipPart& part) { part.size = 5; }),
       "a stored member must be as large as what it is stored in"},
      {"N101", deflated([](ZipPart& part) {
         part.bytes.resize(1 << 20);
         part.stored = part.bytes.size();
         part.size = 1 << 30;
       }),
       "more than 268435456 bytes must be less than 256 times as many as deflated, got 1073741824 in 1048576"},
      {"beyond deflate", deflated([](ZipPart& part) { part.size = 1 << 27; }),
       "deflated bytes grow at most 1032 times"},
      {"a member cut off", zip_archive({zip_stored("w.npy", short_npy)}),
       "[read_npy] the file is cut off: the elements need 16 bytes, got 15"},
      {"objects", zip_archive({zip_stored("w.npy", npy_file(npy_dictionary("'|O'", "False", "(4,)"), "\x80\x04"))}),
       "pickle"},
      {"an empty member", zip_archive({zip_stored("w.npy", "")}), "[read_npy] the file is cut off"},
      {"an empty deflated one", zip_archive({zip_deflated("w.npy", "")}), "[read_npy] the file is cut off"},
  };
}

void expect_npz_refused(const std::vector<RefusedFile>& cases) {
  const Scratch folder;
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = refusal_by(parse_npz, each.bytes, "w.npz");
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_np")) << message;
    EXPECT_NE(message.find(" at offset "), std::string::npos) << message;
    EXPECT_NE(message.find("'w.npz"), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
    const auto problem = check_npz(bytes_of(each.bytes), "w.npz");
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->message(), message);
    const std::string longest = refusal_by(parse_npz, each.bytes, std::string(1000, '\x01'));
    EXPECT_LE(longest.size(), 300u) << longest;

    put(folder / "f", each.bytes);
    const auto reading = [&] {
      const Npz file(folder / "f");
      for (const NpzMember& member : file.members()) file.read(member.name);
    };
    EXPECT_EQ(outcome_of(each.words, reading), Outcome::refused);
  }
}

TEST(NpzCatalogue, RefusesBrokenEnds) { expect_npz_refused(broken_ends()); }
TEST(NpzCatalogue, RefusesBrokenMembers) { expect_npz_refused(broken_members()); }
TEST(NpzCatalogue, RefusesHeadersThatContradictTheDirectory) { expect_npz_refused(broken_agreements()); }
TEST(NpzCatalogue, RefusesBrokenBytes) { expect_npz_refused(broken_bytes()); }

TEST(NpzCatalogue, AcceptsTheFilesThatTheCasesStartFrom) {
  EXPECT_EQ(refusal_by(parse_npz, kGoodZip, "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_npz, zip_archive({zip_deflated("w.npy", kNpy)}, {.zip64 = true}), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_npz, named("\xC3\xA9/w.npy"), "w"), "accepted");
}

TEST(NpzCatalogue, WantsANameWhereThereAreSeveralArrays) {
  const Scratch folder;
  put(folder / "x", zip_archive({good(), zip_stored("v.npy", kNpy)}));
  try {
    TensorFiles(folder / "x").only();
    FAIL();
  } catch (const Error& error) {  // N103
    EXPECT_NE(std::string(error.what()).find("not just one, such as 'w', 'v', got 2 of '"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace posenc::io
