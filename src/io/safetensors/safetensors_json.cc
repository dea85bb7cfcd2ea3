// SPDX-License-Identifier: Apache-2.0
// The JSON of a safetensors header: events of the parser, each allowed in one place only.
#include <algorithm>
#include <set>

#include "src/base/quote.h"
#include "src/io/safetensors/safetensors_header.h"
#include "src/spec/json/json_events.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

/// What the parser may meet next: a value of a certain kind, or the keys or items of something open.
enum class HeaderPlace {
  document,
  entries,
  metadata,
  texts,
  text,
  tensor,
  fields,
  dtype,
  shape,
  sizes,
  offsets,
  pair,
  after
};

std::string_view rule_of(HeaderPlace place) {
  switch (place) {
    case HeaderPlace::document: return "the header must be an object";
    case HeaderPlace::metadata: return "__metadata__ must be an object of strings";
    case HeaderPlace::text: return "the values of __metadata__ must be strings";
    case HeaderPlace::tensor: return "a tensor must be an object with dtype, shape and data_offsets";
    case HeaderPlace::dtype: return "dtype must be a string";
    case HeaderPlace::shape: return "shape must be an array of whole numbers";
    case HeaderPlace::sizes: return "a size must be a whole number";
    case HeaderPlace::offsets: return "data_offsets must be an array of two whole numbers";
    case HeaderPlace::pair: return "an offset must be a whole number";
    case HeaderPlace::entries:
    case HeaderPlace::texts:
    case HeaderPlace::fields:
    case HeaderPlace::after: break;  // no value can come here
  }
  return "";
}

/// Takes the parser's events.
class Events {
 public:
  Events(std::string_view text, const SafetensorsFile& file) : text_(text), file_(file) {}
  SafetensorsHeader take() { return std::move(header_); }

  void receive(JsonEvent&& event) {
    using Kind = JsonEvent::Kind;
    switch (event.kind) {
      case Kind::null: refuse_type("null");
      case Kind::boolean: refuse_type("a boolean");
      // A minus sign brings a number here, so -0 too, which the format does not know.
      case Kind::integer: refuse_number(event.integer == 0 ? "-0" : std::to_string(event.integer));
      case Kind::whole: return number(event.whole);
      case Kind::real: refuse_number(event.text);
      case Kind::string: return string(event.text);
      case Kind::key: return key(event.text);
      case Kind::begin_object: return start_object();
      case Kind::end_object: return end_object();
      case Kind::begin_array: return start_array();
      case Kind::end_array: return end_array();
    }
  }

  [[noreturn]] void refuse(const JsonFault& fault) const {
    if (fault.is_range) refuse_number(fault.token);
    const std::string got = (fault.at == text_.size() ? "its end" : quote(text_.substr(fault.at, 1))) + " at offset " +
                            std::to_string(8 + fault.at);
    if (place_ == HeaderPlace::after) refuse("only spaces may follow the header's object", got);
    refuse("the header must be JSON: " + parser_words(fault.what, 90), got);
  }

 private:
  void start_object() {
    switch (place_) {
      case HeaderPlace::document: place_ = HeaderPlace::entries; return;
      case HeaderPlace::metadata: place_ = HeaderPlace::texts; return;
      case HeaderPlace::tensor: place_ = HeaderPlace::fields; return;
      default: refuse_type("an object");
    }
  }

  void start_array() {
    switch (place_) {
      case HeaderPlace::shape: place_ = HeaderPlace::sizes; return;
      case HeaderPlace::offsets: place_ = HeaderPlace::pair; return;
      default: refuse_type("an array");
    }
  }

  void end_object() {
    if (place_ == HeaderPlace::fields) {
      for (const std::string_view key : {"dtype", "shape", "data_offsets"}) {
        if (!fields_.contains(key)) refuse("a tensor must have the key " + std::string(key), "none");
      }
    }
    place_ = place_ == HeaderPlace::entries ? HeaderPlace::after : HeaderPlace::entries;
    in_tensor_ = false;
  }

  void end_array() {
    if (place_ == HeaderPlace::pair && offsets_ < 2)
      refuse("data_offsets must be two numbers", std::to_string(offsets_));
    place_ = HeaderPlace::fields;
  }

  void key(std::string& name) {
    if (place_ == HeaderPlace::entries) enter(name);
    if (place_ == HeaderPlace::texts) enter_text(name);
    if (place_ == HeaderPlace::fields) enter_field(name);
  }

  void string(std::string& value) {
    if (place_ == HeaderPlace::text) {
      text_of_->second = std::move(value);
      place_ = HeaderPlace::texts;
      return;
    }
    if (place_ != HeaderPlace::dtype) refuse_type("a string");
    const StoredType* type = find_stored_type(value);
    if (type == nullptr) refuse("dtype must be a type of safetensors, such as F32, in capitals", quote(value));
    tensor().type = type->name;
    tensor().dtype = type->dtype;
    place_ = HeaderPlace::fields;
  }

  void number(std::uint64_t value) {
    if (place_ == HeaderPlace::sizes) {
      if (tensor().shape.size() == max_rank) {
        refuse("a tensor must have at most " + std::to_string(max_rank) + " axes", "more");
      }
      if (value > static_cast<std::uint64_t>(npy_dimension_limit)) {
        refuse("a size must be at most 2^48", std::to_string(value));
      }
      tensor().shape.push_back(static_cast<std::int64_t>(value));
      return;
    }
    if (place_ != HeaderPlace::pair) refuse_type("a number");
    if (offsets_ == 2) refuse("data_offsets must be two numbers", "more");
    (offsets_++ == 0 ? tensor().begin : tensor().end) = value;
  }

  StoredTensor& tensor() { return header_.tensors.back(); }

  [[noreturn]] void refuse(std::string_view rule, std::string_view value) const {
    std::optional<std::string_view> name;
    if (in_tensor_) name = header_.tensors.back().name;
    refuse_safetensors(rule, value, file_, name);
  }

  [[noreturn]] void refuse_type(std::string_view got) const { refuse(rule_of(place_), got); }

  [[noreturn]] void refuse_number(std::string_view text) const {
    if (place_ != HeaderPlace::sizes && place_ != HeaderPlace::pair) refuse_type("a number");
    const bool digits = text.find_first_not_of("0123456789") == text.npos;
    if (digits) refuse("a number must be below 2^64", quote(text));
    const bool negative = text.starts_with('-') && text.find_first_not_of("0123456789", 1) == text.npos;
    refuse(negative ? "a number must not be negative" : "a number must be whole, of decimal digits only", quote(text));
  }

  void enter(std::string& name) {
    if (name == "__metadata__") {
      if (std::exchange(metadata_seen_, true)) refuse("a key must stand only once", quote(name));
      place_ = HeaderPlace::metadata;
      return;
    }
    if (name.empty()) refuse("a tensor must have a name", "an empty one");
    if (name.size() > safetensors_name_limit) {
      refuse("a name must have at most " + std::to_string(safetensors_name_limit) + " bytes",
             std::to_string(name.size()));
    }
    if (header_.tensors.size() == safetensors_tensor_limit) {
      refuse("a file must have at most " + std::to_string(safetensors_tensor_limit) + " tensors", "more");
    }
    if (!names_.insert(name).second) refuse("a tensor must stand only once", quote(name));
    header_.tensors.push_back({std::move(name), {}, {}, {}, 0, 0});
    fields_.clear();
    offsets_ = 0;
    in_tensor_ = true;
    place_ = HeaderPlace::tensor;
  }

  void enter_text(std::string& name) {
    if (header_.metadata.size() == safetensors_tensor_limit) {
      refuse("__metadata__ must have at most " + std::to_string(safetensors_tensor_limit) + " entries", "more");
    }
    const auto [entry, fresh] = header_.metadata.try_emplace(std::move(name));
    if (!fresh) refuse("a key of __metadata__ must stand only once", quote(entry->first));
    text_of_ = entry;
    place_ = HeaderPlace::text;
  }

  void enter_field(const std::string& name) {
    const bool dtype = name == "dtype", shape = name == "shape";
    if (!dtype && !shape && name != "data_offsets") {
      refuse("the keys of a tensor must be dtype, shape and data_offsets", quote(name));
    }
    if (!fields_.insert(name).second) refuse("a key must stand only once", quote(name));
    place_ = dtype ? HeaderPlace::dtype : shape ? HeaderPlace::shape : HeaderPlace::offsets;
  }

  std::string_view text_;
  SafetensorsFile file_;
  SafetensorsHeader header_;
  HeaderPlace place_ = HeaderPlace::document;
  bool in_tensor_ = false;
  bool metadata_seen_ = false;
  std::set<std::string, std::less<>> names_;   // of tensors
  std::set<std::string, std::less<>> fields_;  // of the tensor that is being read
  int offsets_ = 0;                            // numbers of its data_offsets so far
  Metadata::iterator text_of_;                 // the entry whose value comes next
};

/// What a UTF-8 decoder would stumble over, and the control bytes that are not JSON (the parser takes NUL for the end).
void check_bytes(std::string_view text, const SafetensorsFile& file) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80 ? 1 : utf8_length(text, at);
    const bool control = byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t';
    if (length == 0 || control) {
      refuse_safetensors(control ? "the header must have no control bytes" : "the header must be UTF-8",
                         quote(text.substr(at, 1)) + " at offset " + std::to_string(8 + at), file);
    }
    at += length;
  }
}

}  // namespace

SafetensorsHeader read_header_json(std::string_view header, const SafetensorsFile& file) {
  check_bytes(header, file);
  Events events(header, file);
  const auto fault = parse_json_events(header, [&](JsonEvent&& event) { events.receive(std::move(event)); });
  if (fault) events.refuse(*fault);
  return events.take();
}

}  // namespace posenc::io
