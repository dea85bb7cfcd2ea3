// SPDX-License-Identifier: Apache-2.0
// Tokenizer files that are taken, and a table of those that are refused, with the cases T61 to T85 of the catalogue.
#include <posenc/text/tokenizer_json.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace {

using nlohmann::json;
using posenc::io::parse_tokenizer_json;
using Ids = std::vector<std::int32_t>;

// Of single bytes it has those of A, B, space and é; no other text can be encoded.
json valid() {
  return json::parse(R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
      {"id": 6, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
       "special": true}],
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
    "post_processor": {"type": "TemplateProcessing", "single": []},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
      "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
      "vocab": {"A": 0, "B": 1, "AB": 2, "\u0120": 3, "\u00c3": 4, "\u00a9": 5}, "merges": ["A B"]}})");
}

json changed(const std::string& pointer, json value) {
  json document = valid();
  document[json::json_pointer(pointer)] = std::move(value);
  return document;
}

json without(const std::string& parent, const std::string& key) {
  json document = valid();
  document[json::json_pointer(parent)].erase(key);
  return document;
}

// The valid file as text with one part of it replaced: for what json cannot hold.
std::string replaced(std::string_view part, std::string_view other) {
  std::string text = valid().dump();
  const std::size_t at = text.find(part);
  return at == text.npos ? "the part is missing" : text.replace(at, part.size(), other);
}

Ids ids_of(const json& document, std::string_view text) {
  return parse_tokenizer_json(document.dump()).bpe.encode(text);
}

json split(const std::string& regex) {
  return {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}, {"invert", false}},
            {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}}}}};
}

const std::string gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

TEST(TokenizerJson, GivesTheIdsAndNamesTheParts) {
  const auto file = parse_tokenizer_json(valid().dump());
  EXPECT_EQ(file.bpe.encode("AB BA<s>e\u0301"), (Ids{2, 3, 1, 0, 6, 4, 5}));
  EXPECT_EQ(file.bpe.size(), 7);
  EXPECT_EQ(file.bpe.token(2), "AB");
  EXPECT_EQ(file.bpe.token(6), "<s>");
  EXPECT_EQ(file.post_processor, "TemplateProcessing");
  EXPECT_EQ(file.decoder, "ByteLevel");
  EXPECT_EQ(file.truncation, "");
  EXPECT_EQ(file.padding, "");
}

TEST(TokenizerJson, TakesWhatDoesNotMatterForTheIds) {
  EXPECT_EQ(parse_tokenizer_json(changed("/truncation", {{"max_length", 8}}).dump()).truncation, R"({"max_length":8})");
  EXPECT_EQ(parse_tokenizer_json(changed("/post_processor", nullptr).dump()).post_processor, "");
  for (const char* const key : {"version", "truncation", "padding", "added_tokens", "normalizer", "post_processor"}) {
    EXPECT_EQ(ids_of(without("", key), "AB"), Ids{2}) << key;
  }
  for (const char* const key : {"type", "dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"}) {
    EXPECT_EQ(ids_of(without("/model", key), "AB"), Ids{2}) << key;
  }
}

TEST(TokenizerJson, TakesMergesInBothForms) {
  EXPECT_EQ(ids_of(changed("/model/merges", json::parse(R"([["A", "B"]])")), "AB"), Ids{2});
  EXPECT_EQ(ids_of(changed("/model/merges", {"#version: 0.2", "A B"}), "AB"), Ids{2});
  EXPECT_EQ(ids_of(changed("/model/merges", json::array()), "AB"), (Ids{0, 1}));
}

TEST(TokenizerJson, TakesTheListsInAnyOrder) {
  const std::string text =
      R"({"model": {"merges": ["A B"], "vocab": {"AB": 2, "B": 1, "A": 0}}, "pre_tokenizer": {"use_regex": true,
          "add_prefix_space": false, "type": "ByteLevel"}})";
  EXPECT_EQ(parse_tokenizer_json(text).bpe.encode("AB"), Ids{2});
}

TEST(TokenizerJson, TakesEveryPattern) {
  const std::string later = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
  const std::string end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  for (const std::string& regex : {gpt2, later + R"(\p{N}{1,3})" + end, later + R"(\p{N})" + end}) {
    EXPECT_EQ(ids_of(changed("/pre_tokenizer", split(regex)), "AB"), Ids{2}) << regex;
  }
  json alone = valid();
  alone["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {valid()["pre_tokenizer"]}}};
  EXPECT_EQ(ids_of(alone, "AB"), Ids{2});
}

TEST(TokenizerJson, AddedTokensMayLeaveAndFillGaps) {
  json document = valid();
  document["added_tokens"][0]["id"] = 1000;
  EXPECT_EQ(ids_of(document, "A<s>B"), (Ids{0, 1000, 1}));
  EXPECT_EQ(parse_tokenizer_json(document.dump()).bpe.size(), 1001);
  document["added_tokens"][0]["id"] = 6;
  document["model"]["vocab"]["BA"] = 7;
  EXPECT_EQ(ids_of(document, "A<s>B"), (Ids{0, 6, 1}));
  document["model"]["vocab"]["<s>"] = 6;
  EXPECT_EQ(ids_of(document, "A<s>B"), (Ids{0, 6, 1}));
}

TEST(TokenizerJson, TokensThatNoTextGivesAreKept) {
  json document = valid();
  document["model"]["vocab"][""] = 6;
  document["model"]["vocab"]["\u2581x"] = 7;
  document["added_tokens"][0]["id"] = 8;
  EXPECT_EQ(ids_of(document, "AB<s>"), (Ids{2, 8}));
  EXPECT_EQ(parse_tokenizer_json(document.dump()).bpe.token(6), "");
}

TEST(TokenizerJson, AnUnknownTokenStandsForBytesThatAreNone) {
  json document = changed("/model/unk_token", "\u0120");
  EXPECT_EQ(ids_of(document, "AxyA"), (Ids{0, 3, 3, 0}));
  document["model"]["fuse_unk"] = true;
  EXPECT_EQ(ids_of(document, "AxyA"), (Ids{0, 3, 0}));
  EXPECT_EQ(parse_tokenizer_json(valid().dump()).bpe.check_encode("A x")->message(),
            "[bpe_encode] each byte of a text must be a token of the vocabulary, got byte \\x78 at [2]");
}

// ---- what is refused ----

struct Refused {
  std::string name, text, message;  // the message without operation and file
};

std::vector<Refused> syntax_errors() {
  const std::string not_json = "must be JSON: ", file = "must be the JSON of a tokenizer, got ";
  return {
      {"empty", "",
       not_json + "syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal, got "
                  "the end of the text at [0]"},
      {"cut", R"({"model")",
       not_json + "syntax error while parsing object separator - unexpected end of input; expected ':'"
                  ", got the end of the text at [8]"},
      {"two documents", valid().dump() + "{}",
       not_json + "syntax error while parsing value - unexpected '{'; expected end of input, got '{' at [" +
           std::to_string(valid().dump().size()) + "]"},
      {"NUL behind", valid().dump() + std::string("\0x", 2),
       "the text must have no control character NUL, got \\x00 at [" + std::to_string(valid().dump().size()) + "]"},
      {"deep", std::string(65, '['), "must be nested at most 64 deep, got more"},
      {"T60", "\x1F\x8B\x08", file + "what begins like gzip at [0]"},
      {"T73 unpaired surrogate", replaced(R"("AB":2)", R"("\ud800":2)"), ""},
      {"invalid UTF-8", replaced("AB", "\xFF"), ""},
      {"T82 SentencePiece", "\n\x0E\n\x05<unk>\x15", file + "what begins like a SentencePiece model at [0]"},
      {"T83", "\x80\x04\x95", file + "what begins like a pickle at [0]"},
      {"T84", "\x93NUMPY\x01", file + "what begins like npy at [0]"},
      {"T85", "<!DOCTYPE html>", file + "what begins like HTML at [0]"},
      {"byte order mark", "\xEF\xBB\xBF{}", file + "a byte order mark at [0]"},
      {"key twice", replaced(R"("truncation":null)", R"("truncation":null,"truncation":null)"),
       "a key must stand only once, got '/truncation' twice"},
      {"key twice in the model", replaced(R"("dropout":null)", R"("dropout":null,"dropout":null)"),
       "a key must stand only once, got '/model/dropout' twice"},
      {"T71 token twice", replaced(R"("AB":2)", R"("AB":2,"AB":2)"), "a token must stand only once, got 'AB' twice"},
      {"no object", "[]", "the document must be an object, got an array"},
      {"unknown key", changed("/lora", 1).dump(),
       "the keys of the document must be version, truncation, padding, "
       "added_tokens, normalizer, pre_tokenizer, model, post_processor, decoder, got 'lora'"},
      {"version", changed("/version", "2.0").dump(), "/version must be \"1.0\", got '2.0'"},
  };
}

std::vector<Refused> vocabulary_errors() {
  const auto id = [](const json& value) { return changed("/model/vocab/AB", value).dump(); };
  const std::string rule = "the id of token 'AB' must be an integer of 0 to 16777215, got ";
  const std::string merge = "/model/merges/0 must be two tokens, as \"a b\" or as [\"a\", \"b\"], got ";
  const auto merges = [](const char* text) { return changed("/model/merges", json::parse(text)).dump(); };
  return {
      {"T61", changed("/model/vocab", {1, 2}).dump(), "/model/vocab must be an object, got an array"},
      {"T62", id("3"), rule + "a string"},
      {"T63", id(3.5), rule + "3.5"},
      {"T64", id(-1), rule + "-1"},
      {"T65", id(nullptr), rule + "null"},
      {"T66", id(true), rule + "true"},
      {"T67", replaced(R"("AB":2,)", ""), "the ids of tokens must have no gap, got 3 but no 2"},
      {"T68", id(1), "the ids of tokens must differ, got 1 for 'AB' and 'B'"},
      {"T69", id(2147483648), rule + "2147483648"},
      {"T69 within the limit", id(16777215), "the ids of tokens must have no gap, got 3 but no 2"},
      {"T70", id(9007199254740993), rule + "9007199254740993"},
      {"T74", id({{"a", 1}}), rule + "an object"},
      {"T74 array", id({1}), rule + "an array"},
      {"T75", changed("/model/vocab", {"A", nullptr}).dump(), "/model/vocab must be an object, got an array"},
      {"T76", changed("/model/vocab", json::object()).dump(), "/model/vocab must have at least one token, got none"},
      {"T77", without("/model", "vocab").dump(), "/model/vocab must be stated, got no such key"},
      {"no merges", without("/model", "merges").dump(), "/model/merges must be stated, got no such key"},
      {"merges are no array", merges(R"({"A": "B"})"), "/model/merges must be an array, got an object"},
      {"merge of three", merges(R"(["A B A"])"), merge + "more than two parts, 'A B A'"},
      {"merge with an empty part", merges(R"(["A "])"), merge + "an empty part in 'A '"},
      {"merge that begins with an empty part", merges(R"([" A"])"), merge + "an empty part in ' A'"},
      {"pair with an empty part", merges(R"([["A", ""]])"), merge + "an empty part"},
      {"merge of one", merges(R"(["AB"])"), merge + "one part, 'AB'"},
      {"merge as number", merges("[3]"), merge + "3"},
      {"merge as object", merges("[{}]"), merge + "an object"},
      {"pair of three", merges(R"([["A", "B", "A"]])"), merge + "more than two parts"},
      {"pair of one", merges(R"([["A"]])"), merge + "an array of 1"},
      {"pair of arrays", merges(R"([[["A"], "B"]])"), merge + "an array"},
      {"merge of no token", merges(R"(["A B", "A x"])"), "merges must join tokens of the vocabulary, got 'x'"},
      {"merge twice", merges(R"(["A B", "A B"])"), "merges must differ, got 0 and 1"},
      {"merge to no token", merges(R"(["B A"])"), "the bytes of a merge in a row must be a token, got 1 and 0"},
      {"long token", changed("/model/vocab/" + std::string(65537, 'x'), 6).dump(),
       "a token must have at most 65536 bytes, got 65537"},
  };
}

std::vector<Refused> model_errors() {
  const auto model = [](const char* key, const json& value) {
    return changed(std::string("/model/") + key, value).dump();
  };
  json unigram = changed("/model/vocab", json::parse(R"([["a", -1.5, 3], ["b", "x"]])"));
  unigram["model"]["type"] = "Unigram";
  return {
      {"T78 T79 Unigram", unigram.dump(), "/model/type must be BPE, got 'Unigram'"},
      {"no model", without("", "model").dump(), "/model must be stated, got no such key"},
      {"model null", changed("/model", nullptr).dump(), "/model must be an object, got null"},
      {"WordPiece", model("type", "WordPiece"), "/model/type must be BPE, got 'WordPiece'"},
      {"dropout", model("dropout", 0.1), "/model/dropout must be null, got 0.1"},
      {"prefix", model("continuing_subword_prefix", "##"), "/model/continuing_subword_prefix must be empty, got '##'"},
      {"suffix", model("end_of_word_suffix", "</w>"), "/model/end_of_word_suffix must be empty, got '</w>'"},
      {"byte_fallback", model("byte_fallback", true), "/model/byte_fallback must be false, got true"},
      {"fuse_unk", model("fuse_unk", 1), "/model/fuse_unk must be true or false, got 1"},
      {"unknown option", model("scores", 1),
       "the keys of /model must be type, dropout, unk_token, "
       "continuing_subword_prefix, end_of_word_suffix, fuse_unk, byte_fallback, ignore_merges, vocab, merges, got "
       "'scores'"},
      {"T33", model("unk_token", "<unk>"), "/model/unk_token must be a token, as some bytes are none, got '<unk>'"},
  };
}

std::vector<Refused> pre_tokenizer_errors() {
  const auto byte_level = [](const char* key, const json& value) {
    return changed(std::string("/pre_tokenizer/") + key, value).dump();
  };
  const auto split_with = [](const std::string& pointer, const json& value) {
    json document = changed("/pre_tokenizer", split(gpt2));
    document[json::json_pointer("/pre_tokenizer/pretokenizers" + pointer)] = value;
    return document.dump();
  };
  const std::string at = "/pre_tokenizer/pretokenizers/";
  return {
      {"normalizer", changed("/normalizer", {{"type", "Lowercase"}}).dump(),
       "/normalizer/type must be NFC, or /normalizer null, got 'Lowercase'"},
      {"no pre_tokenizer", changed("/pre_tokenizer", nullptr).dump(),
       "/pre_tokenizer must be an object with a type, got null"},
      {"Metaspace", byte_level("type", "Metaspace"),
       "/pre_tokenizer/type must be ByteLevel, or Sequence of Split and ByteLevel, got 'Metaspace'"},
      {"prefix space", byte_level("add_prefix_space", true), "/pre_tokenizer/add_prefix_space must be false, got true"},
      {"no regex", byte_level("use_regex", false),
       "/pre_tokenizer/use_regex must be true, without a Split before it, got false"},
      {"two regexes", split_with("/1/use_regex", true),
       at + "1/use_regex must be false, with a Split before it, got true"},
      {"other regex", split_with("/0/pattern/Regex", "\\w+"),
       at + "0/pattern/Regex must be the pattern of GPT-2, Llama 3 "
            "or Qwen, got '\\w+'"},
      {"string pattern", split_with("/0/pattern", {{"String", " "}}),
       "the keys of " + at +
           "0/pattern must be Regex, got "
           "'String'"},
      {"removed", split_with("/0/behavior", "Removed"), at + "0/behavior must be Isolated, got 'Removed'"},
      {"inverted", split_with("/0/invert", true), at + "0/invert must be false, got true"},
      {"Digits first", split_with("/0/type", "Digits"),
       at + "0/type must be Split, or there must be no more than "
            "ByteLevel, got 'Digits'"},
      {"Digits last", split_with("/1/type", "Digits"), at + "1/type must be ByteLevel, got 'Digits'"},
      {"three", split_with("/2", {{"type", "ByteLevel"}}),
       "/pre_tokenizer/pretokenizers must be an array of Split and "
       "ByteLevel, got an array"},
  };
}

std::vector<Refused> added_token_errors() {
  const auto added = [](const char* key, const json& value) {
    return changed(std::string("/added_tokens/0/") + key, value).dump();
  };
  json twice = valid();
  twice["added_tokens"].push_back(twice["added_tokens"][0]);
  twice["added_tokens"][1]["id"] = 7;
  json same_id = twice;
  same_id["added_tokens"][1]["id"] = 6;
  same_id["added_tokens"][1]["content"] = "</s>";
  const std::string range = "/added_tokens/0/id must be an integer of 0 to 16777215, got ";
  return {
      {"T80", added("id", 2), "/added_tokens/0/id must be an id that is free, not that of 'AB', got 2"},
      {"T80 other id", added("content", "AB"), "/added_tokens/0/id must be the id of 'AB' in the vocabulary, 2, got 6"},
      {"T81", twice.dump(), "the texts of added tokens must differ, got the text of added token 0"},
      {"T81 id", same_id.dump(), "the ids of added tokens must differ, got the id of added token 0"},
      {"negative id", added("id", -1), range + "-1"},
      {"huge id", added("id", 16777216), range + "16777216"},
      {"id as text", added("id", "6"), range + "'6'"},
      {"T72", added("content", ""), "/added_tokens/0/content must be 1 to 65536 bytes long, got ''"},
      {"lstrip", added("lstrip", true), "/added_tokens/0/lstrip must be false, got true"},
      {"rstrip", added("rstrip", true), "/added_tokens/0/rstrip must be false, got true"},
      {"single_word", added("single_word", true), "/added_tokens/0/single_word must be false, got true"},
      {"no flag", without("/added_tokens/0", "normalized").dump(),
       "/added_tokens/0/normalized must be stated, got no such key"},
      {"no array", changed("/added_tokens", json::object()).dump(), "/added_tokens must be an array, got an object"},
  };
}

void expect_refused(const std::vector<Refused>& table) {
  for (const Refused& each : table) {
    SCOPED_TRACE(each.name);
    const auto problem = posenc::io::check_tokenizer_json(each.text, "t.json");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->operation, "tokenizer_json");
    EXPECT_THROW(parse_tokenizer_json(each.text, "t.json"), posenc::Error);
    const std::string file = " in 't.json'";
    ASSERT_TRUE(problem->value.ends_with(file)) << problem->value;
    std::string message = problem->rule + ", got " + problem->value.substr(0, problem->value.size() - file.size());
    const bool has_offset = each.message.empty() || each.message.find(" at [") != each.message.npos;
    if (has_offset) {
      ASSERT_EQ(problem->index.size(), 1u);
      message += " at [" + std::to_string(problem->index[0]) + "]";
    }
    if (each.message.empty()) {
      EXPECT_NE(problem->index[0], 0);
      EXPECT_TRUE(message.starts_with("must be JSON: ")) << message;
    } else {
      EXPECT_EQ(message, each.message);
    }
    EXPECT_LE(problem->message().size(), 300u);
    EXPECT_EQ(problem->message().find('\n'), std::string::npos);
  }
}

TEST(TokenizerJson, RefusesWhatIsNoTokenizerFile) { expect_refused(syntax_errors()); }
TEST(TokenizerJson, RefusesVocabulariesAndMergesThatAreNone) { expect_refused(vocabulary_errors()); }
TEST(TokenizerJson, RefusesOtherModelsByName) { expect_refused(model_errors()); }
TEST(TokenizerJson, RefusesOtherNormalizersAndPreTokenizersByName) { expect_refused(pre_tokenizer_errors()); }
TEST(TokenizerJson, RefusesAddedTokensThatClashOrMatchOtherwise) { expect_refused(added_token_errors()); }

TEST(TokenizerJson, NoPrefixOfAFileIsTaken) {
  const std::string text = valid().dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(posenc::io::check_tokenizer_json(std::string_view(text).substr(0, size))) << size;
  }
}

TEST(TokenizerJson, HasAtMost64MebibytesAndAMillionOtherValues) {
  const std::string large(posenc::io::tokenizer_json_byte_limit + 1, ' ');
  EXPECT_EQ(posenc::io::check_tokenizer_json(large, "t.json")->message(),
            "[tokenizer_json] must have at most 67108864 bytes, got 67108865 in 't.json'");
  std::string many = R"({"post_processor": [0)";
  for (int i = 0; i < 1 << 20; ++i) many += ",0";
  EXPECT_EQ(posenc::io::check_tokenizer_json(many, "t.json")->message(),
            "[tokenizer_json] must have at most 1048576 values besides tokens and merges, got more in 't.json'");
}

TEST(TokenizerJson, IsReadFromAFileThatMessagesName) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "posenc_tokenizer_json_test.json";
  std::ofstream(path) << valid().dump();
  EXPECT_EQ(posenc::io::read_tokenizer_json(path).bpe.encode("AB"), Ids{2});
  std::ofstream(path) << "{";
  try {
    posenc::io::read_tokenizer_json(path);
    ADD_FAILURE();
  } catch (const posenc::Error& error) {
    EXPECT_NE(std::string(error.what()).find("posenc_tokenizer_json_test.json"), std::string::npos) << error.what();
  }
  std::filesystem::remove(path);
  EXPECT_THROW(posenc::io::read_tokenizer_json(path), posenc::Error);
}

}  // namespace
