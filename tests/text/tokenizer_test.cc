// SPDX-License-Identifier: Apache-2.0
// All tokenizers as one type, texts that come in pieces, and the reader between a source and ids.
#include "tests/text/cut_text.h"
#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace {

using namespace posenc::io;
using posenc::test::encode_cut;
using posenc::test::encode_read;
using posenc::test::encode_whole;
using posenc::test::Encoded;
using Ids32 = std::vector<std::int32_t>;

Bpe bpe_of_bytes_and_pairs() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  std::vector<Bpe::Merge> merges;
  for (const std::string pair : {"th", "he", " t", "in", "er", "\xE6\x88", "an"}) {
    merges.push_back({static_cast<std::uint8_t>(pair[0]), static_cast<std::uint8_t>(pair[1])});
    tokens.push_back(pair);
  }
  return Bpe(std::move(tokens), std::move(merges));
}

SentencePiece sentence_piece() {
  return SentencePiece::read(std::string(POSENC_SOURCE_DIR) + "/tests/text/goldens/unigram.model");
}

struct Tried {
  Tokenizer tokenizer;
  std::string text;
};

// Each with a text of its kind; characters and words lack about half of theirs.
std::vector<Tried> all_tokenizers(std::size_t size) {
  const std::string text = posenc::test::mixed_text(21, size);
  const auto half = [&](Unit unit) {
    const Vocabulary all = build_vocabulary(unit, text_source(text), "test");
    std::vector<std::string> tokens;
    for (std::int32_t id = 0; id < all.size() / 2; ++id) tokens.emplace_back(all.token(id));
    return Vocabulary(tokens);
  };
  std::string numbers;
  for (std::size_t i = 0; numbers.size() < size; ++i)
    numbers += std::to_string(i * 7919 % 100000) + (i % 5 ? " " : ",\r\n");
  return {{Bytes(), text + "\xFF"},         {Chars(half(Unit::character)), text},
          {Words(half(Unit::word)), text},  {posenc::io::Ids(100000), numbers + "1"},
          {bpe_of_bytes_and_pairs(), text}, {sentence_piece(), text}};
}

// A source that gives `size` bytes at a time.
Source slow_source(std::string text, std::size_t size) {
  return [source = text_source(std::move(text)), size](std::span<char> to) {
    return source(to.first(std::min(size, to.size())));
  };
}

std::string message_of(const Tokenizer& tokenizer, std::string text, const std::string& source_name = "t") {
  TokenReader reader(tokenizer, text_source(std::move(text)), source_name);
  Ids32 ids(1 << 20, -7);
  try {
    const std::size_t count = reader.read(ids);
    return "nothing, and " + std::to_string(count) + " ids";
  } catch (const posenc::Error& error) {
    EXPECT_EQ(ids[0], -7);
    return error.what();
  }
}

TEST(Tokenizer, NamesItself) {
  std::string names;
  for (const Tried& tried : all_tokenizers(2000)) names += std::string(name(tried.tokenizer)) + " ";
  EXPECT_EQ(names, "bytes chars words ids bpe sentencepiece ");
}

TEST(Tokenizer, HasIdsBelowItsSizeAndATokenForEach) {
  for (const Tried& tried : all_tokenizers(20000)) {
    const Encoded encoded = encode_whole(tried.tokenizer, tried.text);
    EXPECT_GT(encoded.ids.size(), 1000u);
    for (const std::int32_t id : encoded.ids) ASSERT_TRUE(id >= 0 && id < size(tried.tokenizer));
    EXPECT_FALSE(token(tried.tokenizer, 0).empty());
    EXPECT_FALSE(token(tried.tokenizer, size(tried.tokenizer) - 1).empty());
    EXPECT_THROW(token(tried.tokenizer, size(tried.tokenizer)), posenc::Error);
    EXPECT_THROW(token(tried.tokenizer, -1), posenc::Error);
  }
}

TEST(Tokenizer, GivesTheSameIdsHoweverATextIsCut) {
  for (const Tried& tried : all_tokenizers(3000)) {
    const Encoded whole = encode_whole(tried.tokenizer, tried.text);
    ASSERT_NE(whole.ids, Ids32{-1});
    for (const std::size_t size : {1u, 2u, 3u, 7u, 31u, 127u, 1021u}) {
      EXPECT_EQ(encode_cut(tried.tokenizer, tried.text, size), whole) << name(tried.tokenizer) << ' ' << size;
    }
  }
}

TEST(Tokenizer, GivesTheSameIdsCutAtRandom) {
  std::mt19937 random(8);
  for (const Tried& tried : all_tokenizers(400)) {
    for (int round = 0; round < 40; ++round) {
      std::string text = tried.text;
      text.resize(text.size() - random() % 40);
      const auto may_end = [](char byte) { return static_cast<signed char>(byte) > 0 && byte != ',' && byte != '\r'; };
      while (!text.empty() && !may_end(text.back())) text.pop_back();
      if (std::holds_alternative<posenc::io::Ids>(tried.tokenizer)) text += " 3";
      EXPECT_EQ(encode_cut(tried.tokenizer, text, 1 + random() % 90), encode_whole(tried.tokenizer, text));
    }
  }
}

TEST(TokenReader, GivesTheIdsOfTheWholeText) {
  for (const Tried& tried : all_tokenizers(200000)) {
    const Encoded whole = encode_whole(tried.tokenizer, tried.text);
    EXPECT_TRUE(encode_read(tried.tokenizer, text_source(tried.text), 1000000) == whole) << name(tried.tokenizer);
    EXPECT_TRUE(encode_read(tried.tokenizer, slow_source(tried.text, 4099), 7919) == whole) << name(tried.tokenizer);
    EXPECT_TRUE(encode_read(tried.tokenizer, slow_source(tried.text, 1), 1) == whole) << name(tried.tokenizer);
  }
}

TEST(Tokenizer, SaysWhichIdStandsForWhatItDoesNotKnow) {
  const std::vector<std::string> parts = {"a", "<unk>"};
  EXPECT_EQ(unknown(Bytes()), std::nullopt);
  EXPECT_EQ(unknown(posenc::io::Ids(3)), std::nullopt);
  EXPECT_EQ(unknown(Chars(Vocabulary(parts))), 1);
  EXPECT_EQ(unknown(Words(Vocabulary({"a"}))), std::nullopt);
  EXPECT_EQ(unknown(bpe_of_bytes_and_pairs()), std::nullopt);
  EXPECT_EQ(token(sentence_piece(), unknown(sentence_piece()).value_or(-1)), "<unk>");
}

TEST(Tokenizer, TurnsIdsBackIntoText) {
  EXPECT_EQ(decode(Bytes(), Ids32{97, 255, 0}), std::string("a\xFF\0", 3));
  EXPECT_EQ(decode(posenc::io::Ids(30), Ids32{29, 0, 7}), "29 0 7");
  EXPECT_EQ(decode(Chars(Vocabulary({"л", "<eos>", "м"})), Ids32{2, 0, 1}), "мл<eos>");
  EXPECT_EQ(decode(Words(Vocabulary({"one", "two"})), Ids32{1, 0, 0}), "two one one");
  for (const Tried& tried : all_tokenizers(20)) EXPECT_EQ(decode(tried.tokenizer, Ids32{}), "");
  for (const Tokenizer& tokenizer : {Tokenizer(bpe_of_bytes_and_pairs()), Tokenizer(sentence_piece())}) {
    const std::string text = "the man in there";
    EXPECT_EQ(decode(tokenizer, encode_whole(tokenizer, text).ids), text) << name(tokenizer);
  }
}

TEST(Tokenizer, RefusesToDecodeAnIdThatItHasNot) {
  for (const Tried& tried : all_tokenizers(400)) {
    for (const std::int32_t id : {-1, size(tried.tokenizer)}) {
      try {
        decode(tried.tokenizer, Ids32{0, 1, id});
        ADD_FAILURE() << name(tried.tokenizer);
      } catch (const posenc::Error& error) {
        EXPECT_EQ(error.problem().index, std::vector<std::int64_t>{2});
        EXPECT_EQ(error.problem().value, std::to_string(id));
      }
    }
  }
}

TEST(TokenReader, GivesNothingForAnEmptyText) {
  for (const Tried& tried : all_tokenizers(100)) {
    TokenReader reader(tried.tokenizer, text_source(""), "t");
    Ids32 ids(5);
    EXPECT_EQ(reader.read(ids), 0u);
    EXPECT_EQ(reader.read(ids), 0u);
    EXPECT_EQ(reader.bytes(), 0);
    EXPECT_EQ(reader.unknowns(), Unknowns{});
  }
}

TEST(TokenReader, CountsBytesAndUnknownTokens) {
  const Tokenizer words = Words(Vocabulary({"<unk>", "known"}));
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "known ";
  const auto offset = static_cast<std::int64_t>(text.size());
  for (int i = 0; i < 30000; ++i) text += "strange known\n";
  TokenReader reader(words, slow_source(text, 12345), "t");
  Ids32 ids(90000);
  EXPECT_EQ(reader.read(std::span(ids).first(0)), 0u);
  EXPECT_EQ(reader.read(std::span(ids).first(89999)), 89999u);
  EXPECT_EQ(reader.read(ids), 1u);
  EXPECT_EQ(reader.read(ids), 0u);
  EXPECT_EQ(reader.bytes(), static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(reader.unknowns(), (Unknowns{30000, "strange", offset, 1, offset + 1}));
}

// ---- errors -------------------------------------------------------------------------------------

TEST(TokenReader, PlacesAnErrorInTheWholeText) {
  const Tokenizer chars = Chars(Vocabulary({"a", "\n"}));
  std::string text;
  for (int line = 0; line < 50000; ++line) text += "aaaa\n";
  EXPECT_EQ(message_of(chars, text + "aa\xE9"
                                     "a"),
            "[chars_encode] text must be valid UTF-8: continuation bytes complete a sequence, got byte \\xE9 in line "
            "50001, column 3 of 't' at [250002]");
  EXPECT_EQ(message_of(chars, text + "ax"),
            "[chars_encode] a character outside the vocabulary needs <unk> in it, got 'x' in line 50001, column 2 of "
            "'t' at [250001]");
  EXPECT_EQ(
      message_of(chars, text + "a\xE2\x82"),
      "[chars_encode] text must be valid UTF-8: no sequence is cut short by the end of the text, got byte \\xE2 in "
      "line 50001, column 2 of 't' at [250001]");
  EXPECT_EQ(message_of(posenc::io::Ids(10), "1 2\n3 x",
                       "a/long/path/of/more/than/sixty-four/bytes/which/is/cut/in/front/ids.txt"),
            "[ids_encode] ids must be plain decimal numbers with blanks, commas or newlines between them, got 'x' in "
            "line 2, column 3 of '...path/of/more/than/sixty-four/bytes/which/is/cut/in/front/ids.txt' at [6]");
}

struct RefusedText {
  std::string id;  // of the catalogue of bad inputs
  std::string text;
  std::string fault;
};

TEST(TokenReader, RefusesTheTextsOfTheCatalogue) {
  using namespace std::string_literals;
  const std::string shortest = "text must be valid UTF-8: the shortest form only, got byte ";
  const std::string surrogates = "text must be valid UTF-8: no surrogates, got byte ";
  const std::string large = "text must be valid UTF-8: nothing above U+10FFFF, got byte ";
  const std::string lone = "text must be valid UTF-8: a continuation byte follows a first byte, got byte ";
  const std::string open = "text must be valid UTF-8: continuation bytes complete a sequence, got byte ";
  const std::string cut = "text must be valid UTF-8: no sequence is cut short by the end of the text, got byte ";
  const std::string format = "the source must be text in UTF-8, got what begins like ";
  const std::vector<RefusedText> rows = {
      {"T02", "\xFF", large + "\\xFF"},
      {"T03", "\x80", lone + "\\x80"},
      {"T04", "\xC0\x80", shortest + "\\xC0"},
      {"T05", "\xC1\xBF", shortest + "\\xC1"},
      {"T06", "\xE0\x80\x80", shortest + "\\xE0"},
      {"T07", "\xF0\x80\x80\x80", shortest + "\\xF0"},
      {"T08", "\xED\xA0\x80", surrogates + "\\xED"},
      {"T09", "\xED\xBF\xBF", surrogates + "\\xED"},
      {"T10", "\xED\xA0\x81\xED\xB0\x80", surrogates + "\\xED"},
      {"T11", "\xF4\x90\x80\x80", large + "\\xF4"},
      {"T12", "\xF8\x88\x80\x80\x80", large + "\\xF8"},
      {"T13", "\xFC\x84\x80\x80\x80\x80", large + "\\xFC"},
      {"T14", "\xC3", cut + "\\xC3"},
      {"T15", "\xE2\x82", cut + "\\xE2"},
      {"T16", "\xF0\x9F\x98", cut + "\\xF0"},
      {"T17", "\xC3\x28", open + "\\xC3"},
      {"T18", "\xE2\x28\xA1", open + "\\xE2"},
      {"T19", "\xF0\x28\x8C\xBC", open + "\\xF0"},
      {"T20", "\xE2\x82\n", open + "\\xE2"},
      {"T21", "\xFF\xFEh\0i\0"s, format + "UTF-16"},
      {"T22", "\0h\0e\0l\0l\0o"s, format + "UTF-16"},
      {"T23", "\xFF\xFE\0\0h\0\0\0"s, format + "UTF-32"},
      {"T23", "h\0\0\0i\0\0\0"s, format + "UTF-32"},
      {"T25", "\x83\x65\x83\x4C", lone + "\\x83"},
      {"T26", "\x1F\x8B\x08\0\0\0\0\0"s, format + "gzip"},
      {"T27", "\x89PNG\r\n\x1A\n", format + "PNG"},
      {"T28", "%PDF-1.7\n", format + "PDF"},
      {"I44",
       "\x7F"
       "ELF\x02\x01\x01",
       format + "an executable"},
      {"I45", "\x93NUMPY\x01", format + "npy"},
      {"T83", "\x80\x04\x95", format + "a pickle"},
  };
  for (const RefusedText& row : rows) {
    for (const Tried& tried : all_tokenizers(100)) {
      const std::string_view kind = name(tried.tokenizer);
      if (kind == "bytes" || (kind == "ids" && !row.fault.starts_with(format))) continue;
      const std::string message = message_of(tried.tokenizer, row.text);
      EXPECT_EQ(message.substr(message.find("] ") + 2), row.fault + " in line 1, column 1 of 't' at [0]")
          << row.id << kind;
      EXPECT_EQ(message.find('\n'), message.npos);
    }
    EXPECT_EQ(message_of(Bytes(), row.text), "nothing, and " + std::to_string(row.text.size()) + " ids") << row.id;
  }
  const Tokenizer chars = Chars(Vocabulary({"<unk>"}));
  EXPECT_EQ(message_of(chars, "caf\xE9"), "[chars_encode] " + cut + "\\xE9 in line 1, column 4 of 't' at [3]");  // T24
}

// T29 and T30 of the catalogue ask for a refusal; a NUL is a character here, and a byte.
TEST(TokenReader, TakesNulAsData) {
  const std::string nuls(1024, '\0');
  EXPECT_EQ(message_of(Chars(Vocabulary({std::string(1, '\0')})), nuls), "nothing, and 1024 ids");
  EXPECT_EQ(message_of(Bytes(), nuls), "nothing, and 1024 ids");
  EXPECT_EQ(message_of(bpe_of_bytes_and_pairs(), nuls), "nothing, and 1024 ids");
}

TEST(TokenReader, LetsBytesBeginLikeAnything) {
  for (const std::string text : {"PK", "a", "%PDF 1", "\n\n"}) {
    EXPECT_EQ(message_of(Chars(Vocabulary({"<unk>"})), text), "nothing, and " + std::to_string(text.size()) + " ids");
  }
}

TEST(TokenReader, LimitsWhatIsLeftOver) {
  const Tokenizer words = Words(Vocabulary({"<unk>"}));
  const std::string limit(carry_over_limit, 'w');
  EXPECT_EQ(message_of(words, "a\n" + limit), "nothing, and 2 ids");
  EXPECT_EQ(message_of(words, "a\n" + limit + " b"),
            "[read_tokens] what must be encoded in one must have at most 16777216 bytes, got more in line 2, column 1 "
            "of 't' at [2]");
}

// ---- the first ids ------------------------------------------------------------------------------

// What a reader of the first `most` ids gives, or the message of its error.
struct First {
  std::vector<std::int32_t> ids = {};
  std::int64_t unknowns = 0;
  std::string error = {};
  friend bool operator==(const First&, const First&) = default;
};

First first_of(const Tokenizer& tokenizer, const std::string& text, std::size_t most) {
  TokenReader reader(tokenizer, text_source(text), "t", {.formats = Formats::text_only, .most = most});
  First first;
  std::vector<std::int32_t> some(3);  // so that a limit ends within a read, too
  try {
    for (std::size_t got = some.size(); got == some.size();) {
      got = reader.read(some);
      first.ids.insert(first.ids.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
    }
    first.unknowns = reader.unknowns().count;
  } catch (const posenc::Error& error) {
    first.error = error.what();
  }
  return first;
}

TEST(FirstIds, DoNotDependOnWhatIsBehindThem) {
  const Tokenizer words = Words(Vocabulary({"a", "b", "<unk>"}));
  const Tokenizer strict_words = Words(Vocabulary({"a", "b"}));
  const Tokenizer chars = Chars(Vocabulary({"a", " ", "b", "<unk>"}));
  const Tokenizer strict_chars = Chars(Vocabulary({"a", " ", "b"}));
  std::vector<std::string> behind = {"", "b", "zz", "zz zz", "\xFF", "b \xFF", "zz\xE7", "\xFF zz", "b zz \xC0 \xC0"};
  behind.push_back(std::string(1 << 18, 'b') + " zz \xFF");
  behind.push_back(std::string(1 << 18, ' ') + "\xFF zz");
  for (const std::string& more : behind) {
    EXPECT_EQ(first_of(words, "a " + more, 1), (First{{0}})) << more;
    EXPECT_EQ(first_of(strict_words, "a " + more, 1), (First{{0}})) << more;
    EXPECT_EQ(first_of(chars, "a " + more, 2), (First{{0, 1}})) << more;
    EXPECT_EQ(first_of(strict_chars, "a " + more, 2), (First{{0, 1}})) << more;
    EXPECT_EQ(first_of(words, "a zz b zz a " + more, 4), (First{{0, 2, 1, 2}, 2})) << more;
    EXPECT_EQ(first_of(Bytes(), "a " + more, 1), (First{{97}})) << more;
  }
}

TEST(FirstIds, OfABpeCountTheirOwnUnknownBytes) {
  for (const auto unknown_bytes : {Bpe::UnknownBytes::one_each, Bpe::UnknownBytes::one_a_run}) {
    const bool fused = unknown_bytes == Bpe::UnknownBytes::one_a_run;
    const Tokenizer bpe = Bpe({.tokens = {"?", "a", "b", "ab", " "},
                               .merges = {{1, 2}},
                               .pattern = Pattern::gpt2,
                               .normalization = Bpe::Normalization::none,
                               .whole_pieces = Bpe::WholePieces::merged,
                               .unknown_bytes = unknown_bytes,
                               .unknown_id = 0,
                               .added_tokens = {}});
    for (const std::string behind : {"", "zz", " zz", "\xFF", " ab zz \xFF"}) {
      EXPECT_EQ(first_of(bpe, "ab?zb" + behind, 2), (First{{3, 0}})) << behind;  // a question mark is a token
      EXPECT_EQ(first_of(bpe, "?abzzab" + behind, 3), (First{{0, 3, 0}, 1})) << behind;
      const First all = fused ? First{{3, 0, 2}, 1} : First{{3, 0, 0}, 2};
      EXPECT_EQ(first_of(bpe, "abzzb" + behind, 3), all) << behind;
    }
  }
}

TEST(FirstIds, AreRefusedForWhatIsAmongThem) {
  const Tokenizer words = Words(Vocabulary({"a", "b"}));
  EXPECT_EQ(
      first_of(words, "a zz \xFF", 2).error,
      "[words_encode] a word outside the vocabulary needs <unk> in it, got 'zz' in line 1, column 3 of 't' at [2]");
  EXPECT_EQ(
      first_of(words, "a \xFF", 2).error,
      "[words_encode] text must be valid UTF-8: nothing above U+10FFFF, got byte \\xFF in line 1, column 3 of 't' at "
      "[2]");
  EXPECT_EQ(first_of(words, "a b", 3), (First{{0, 1}}));
  EXPECT_EQ(first_of(words, "\xFF", 0), First{});
}

TEST(FirstIds, OfNumbersEndWhereTheyAreFound) {
  const Tokenizer ids = posenc::io::Ids(10);
  for (const std::string behind : {"", ",", ", 10", " x", "\r2", " -1", ",,", "\n\xFF"}) {
    EXPECT_EQ(first_of(ids, "1 2" + behind, 2), (First{{1, 2}})) << behind;
  }
  EXPECT_NE(first_of(ids, "1 2x", 2).error, "");
}

TEST(FirstIds, OfALineKeepWhatWasThereBefore) {
  const Tokenizer words = Words(Vocabulary({"a", "b", "<unk>"}));
  std::vector<std::int32_t> ids = {7};
  Unknowns unknowns;
  EXPECT_EQ(encode_first(words, "zz a \xFF", Rest::none, 2, ids, unknowns), 6u);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{7, 2, 0}));
  EXPECT_EQ(unknowns.count, 1);
  EXPECT_THROW(encode_first(words, "zz a \xFF", Rest::none, 3, ids, unknowns), posenc::Error);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{7, 2, 0}));
  EXPECT_EQ(unknowns.count, 1);
}

// ---- sources ------------------------------------------------------------------------------------

TEST(Source, ThatNeverWasAFileMayBeginLikeOne) {
  const std::string text = "%PDF-1.4";
  const Tokenizer chars = Chars(build_vocabulary(Unit::character, text_source(text), "t", Formats::any));
  TokenReader reader(chars, text_source(text), "t", {.formats = Formats::any});
  std::vector<std::int32_t> ids(10);
  EXPECT_EQ(reader.read(ids), text.size());
  TokenReader refusing(chars, text_source(text), "t");
  EXPECT_THROW(refusing.read(ids), posenc::Error);
}

TEST(Source, ReadsAPipeThatIsSlowInterruptedAndDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string text = posenc::test::mixed_text(4, 300000);
  std::thread writer([&, end = ends[1]] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t put = ::write(end, text.data() + at, std::min<std::size_t>(997, text.size() - at));
      if (put > 0) at += static_cast<std::size_t>(put);
    }
    ::close(end);
  });
  const Encoded read = encode_read(Bytes(), descriptor_source(ends[0], "-"), 4096);
  writer.join();
  ::close(ends[0]);
  EXPECT_TRUE(read == encode_whole(Bytes(), text));
}

TEST(Source, NamesADescriptorThatCannotBeRead) {
  const auto cause_of = [](int descriptor, const std::string& words) {
    try {
      encode_read(Bytes(), descriptor_source(descriptor, "-"), 10);
    } catch (const posenc::Error& error) {
      EXPECT_EQ(error.what(), "[read_tokens] every byte must be readable, got '-' (" + words + ")");
      return error.problem().cause;
    }
    return posenc::Cause{};
  };
  EXPECT_EQ(cause_of(-1, "Bad file descriptor"), posenc::Cause::system);  // T37
  const int folder = ::open("/", O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(cause_of(folder, "Is a directory"), posenc::Cause::input);
  ::close(folder);
}

TEST(Source, ReadsAFileAndNoFolderOrPipe) {
  std::string folder = (std::filesystem::temp_directory_path() / "posenc_tokenizer_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/text";
  const std::string text = posenc::test::mixed_text(4, 200000);
  std::ofstream(path) << text;
  EXPECT_TRUE(encode_read(Bytes(), file_source(path), 1000) == encode_whole(Bytes(), text));
  EXPECT_THROW(file_source(folder), posenc::Error);  // T39
  EXPECT_THROW(file_source(folder + "/none"), posenc::Error);
  ASSERT_EQ(::mkfifo((folder + "/pipe").c_str(), 0600), 0);
  EXPECT_THROW(file_source(folder + "/pipe"), posenc::Error);  // T40

  const Source changing = file_source(path);
  std::array<char, 1000> some;
  EXPECT_EQ(changing(some), some.size());
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_THROW(while (changing(some) > 0){}, posenc::Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
