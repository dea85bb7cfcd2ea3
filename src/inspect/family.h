// SPDX-License-Identifier: Apache-2.0
// Families of models as rows of data: which roles a model type has, and what it means by a key that is not there.
#pragma once

#include <posenc/convention.h>
#include <posenc/scale.h>

namespace posenc::config {

/// Layers of one kind: all that have the same rotation, or none.
struct LayerKind {
  /// Whether queries and keys turn there. `unless_windowed`: only in a model without a sliding window.
  enum class Turns : std::uint8_t { always = 1, never, unless_windowed };
  /// Whether the one rope object of a model is of these layers as well.
  enum class Scaled : std::uint8_t { yes = 1, no };

  std::string_view name = {};  ///< in layer_types
  double base = 10000;         ///< where no key says
  std::string_view base_key = "rope_theta";
  Turns turns = Turns::always;
  Scaled scaled = Scaled::yes;
  std::string_view rope_type = "default";
  double share = 1;                ///< partial_rotary_factor where no key says; 1: the family's
  std::string_view head_key = {};  ///< of a head that is wider there
  std::int64_t head = 0;           ///< where no key says; 0: as elsewhere
};

/// Which layer is of which kind: kinds[1] where (i + phase) mod period = 0, else kinds[0].
struct Layering {
  std::string_view list = {};     ///< layer_types: names; no_rope_layers: 1 for kinds[0], 0 for kinds[1]
  std::string_view also = {};     ///< what its files call layer_types besides
  std::string_view indices = {};  ///< of a list of the layers of kinds[1]
  std::string_view pattern = {};  ///< of a list of names that repeats: kinds[1] where it says attention
  std::string_view key = {};      ///< the period, where the list is not there
  std::int64_t period = 0;        ///< 0: where no key says there is one kind
  std::int64_t phase = 1;
};

/// How the positions of text and images share the pairs.
enum class Mrope : std::uint8_t { none = 1, chunked, interleaved, images_first };

/// What turns a head, but for its numbers.
struct Turning {
  Pairing pairing = Pairing::split_half;
  Written written = Written::in_place;
  StoredAs stored = StoredAs::halves_twice;
  TurnTo turn = TurnTo::forward;
  Mrope mrope = Mrope::none;
  std::array<std::int64_t, 3> sections = {};  ///< mrope_section where no key says, for a head of so many pairs
};

inline constexpr Turning halves = {};

/// Multi-head latent attention rotates qk_rope_head_dim columns behind qk_nope_head_dim others; `quotient` is of width
/// and heads, and head_dim is not read.
enum class Heads : std::uint8_t { plain = 1, latent, quotient };

/// What a role's convention takes from a key: a field by its path (convention.h), and its value where no key says.
struct KeyedField {
  std::string_view path;
  std::vector<std::string_view> keys;
  std::optional<double> otherwise = {};
};

/// How tokens among padding are numbered: places from 0; present ones from padding_id + 1, pads at padding_id
/// (RoBERTa), or from 2, pads at 1, whatever it is (MPNet); present ones from 0, pads at -1 (OPT).
enum class Numbered : std::uint8_t { places = 1, behind_padding, behind_one, from_zero };

/// Which cells of an image a role is of: those of its patches; those by which heads turn; those of the windows of each
/// stage, which has a role of its own (Swin).
enum class Cells : std::uint8_t { none = 1, image, turning, stages };

/// A role whose convention is a preset's, but for what keys change of it.
struct RoleRow {
  std::string_view name;
  std::string_view preset = {};                   ///< its convention by name, or
  std::optional<Convention> convention = {};      ///< as a value
  std::vector<KeyedField> fields = {};            ///< what keys change of it
  std::vector<std::string_view> heads_keys = {};  ///< of a bias
  std::vector<std::string_view> rows_keys = {};   ///< of a model's own table
  std::int64_t rows = 0;                          ///< where no key says; 0: they must be stated
  std::int64_t further_rows = 0;                  ///< that its table has more
  std::string_view rows_field = {};               ///< of the convention, which states them
  Cells cells = Cells::none;                      ///< image: without rows_keys, the rows of its table
  Numbered numbered = Numbered::places;
  std::int64_t padding = 1;  ///< pad_token_id where no key says
  enum class Of : std::uint8_t { model = 1, every_layer, layers_that_do_not_turn, layers_of_kind } of = Of::model;
  std::string_view kind = {};  ///< whose layers have it, under layers_of_kind
  /// The role is there if this key says so, or, where it is not there, if `present`.
  std::string_view key = {}, value = {};
  enum class Absent : std::uint8_t { present = 1, absent } otherwise = Absent::present;
};

/// What multiplies the rows of the embedding: where scale_embedding is not there, sqrt(d) does under
/// sqrt_dim_unless_not. Patches have no such rows.
enum class Embedding : std::uint8_t { plain = 1, sqrt_dim_rounded, sqrt_dim_if_scaled, sqrt_dim_unless_not, patches };
/// The factor of scores besides 1 / sqrt(head): none; DeepSeek's m(mscale_all_dim)^2; Gemma's sqrt(head /
/// query_pre_attn_scalar); under `multiplier` the number of a key in place of 1 / sqrt(head), under `factor` beside it;
/// sqrt(head) of T5, whose scores are plain products, always or unless a key is true; 1 / sqrt(1 + n) of DeBERTa, for n
/// terms of positions in a sum.
enum class Softmax : std::uint8_t {
  plain = 1,
  yarn_gain_all,
  pre_attention_scalar,
  multiplier,
  factor,
  unscaled,
  unscaled_unless,
  terms
};

/// A key that says what the roles do not, where it has that value, or where that is "" is a number other than 1: a note
/// of its pointer and these words, or a role that is not read. "" in place of a key: a role that is never read.
struct Remark {
  std::string_view key, value, words;
  std::string_view missing = {};
};

/// A part that a model has, and its type where it states none.
struct InnerType {
  std::string_view part, type;
  std::string_view only_if = {};  ///< a key of the whole: where it is false, the model has no such part
  RoleRow::Absent otherwise = RoleRow::Absent::present;  ///< whether its class makes one that is not stated
};

/// Reads the objects rope_scaling and rope_parameters, or ignores them.
enum class RopeObjects : std::uint8_t { read = 1, none };

struct Family {
  std::string_view types;  ///< with spaces between
  std::optional<Turning> rotary = {};
  double base = 10000;
  double share = 1;
  std::string_view base_key = "rope_theta";  ///< "": the base is that number
  RopeObjects objects = RopeObjects::read;
  std::string_view columns_key = {};  ///< of the columns that turn
  std::int64_t columns = 0;           ///< where no key says
  std::int64_t head = 0;              ///< head_dim where no key says; 0: the quotient
  std::string_view head_also = {};    ///< besides head_dim
  Heads heads = Heads::plain;
  std::vector<LayerKind> kinds = {};
  Layering layering = {};
  std::vector<RoleRow> roles = {};
  Embedding embedding = Embedding::plain;
  Softmax softmax = Softmax::plain;
  std::string_view softmax_key = {};  ///< what it reads
  double scalar = 0;                  ///< its number where no key says; 0: nothing
  std::string_view times_key = {};    ///< of what multiplies the embedding
  double times = 1;                   ///< where no key says
  std::string_view times_under = {};  ///< of a number whose inverse that is, where times_key is not there
  std::string_view text = {};         ///< the type of its text_config, or of itself where there is none
  std::vector<InnerType> parts = {};
  std::string_view layers_key = {};                     ///< of the number of its layers, where it is called otherwise
  std::string_view base_also = {}, share_also = {};     ///< besides base_key and partial_rotary_factor
  std::string_view width_key = {};                      ///< of its width, where hidden_size is another
  std::string_view table_width_key = {};                ///< of the columns of its tables, which it maps to its width
  std::int64_t table_width = 0;                         ///< where no key says; 0: its width
  std::string_view interleave_key = {};                 ///< where it is false or null, halves turn, in place
  std::string_view rope = {};                           ///< the rope object where none is stated, as JSON
  std::string_view rotary_key = {}, rotary_value = {};  ///< queries turn only where this key says so, or,
  RoleRow::Absent rotary_otherwise = RoleRow::Absent::present;  ///< where it is not there, this
  std::string_view longrope_names = {};                         ///< what it calls longrope besides, with spaces between
  std::string_view ntk_key = {};         ///< of a factor of NTK in a rope object that is called dynamic
  std::string_view position_types = {};  ///< that position_embedding_type may be; "": it is not read
  std::vector<Remark> remarks = {};
};

/// Words that have spaces between.
std::vector<std::string_view> split_words(std::string_view words);
/// Whether `word` is one of them.
bool has_word(std::string_view words, std::string_view word);

/// A model of several models, none of which is the configuration itself.
bool is_composite(const Family& family);
/// Returns the kind of all layers of a family that has one kind.
LayerKind only_kind(const Family& family);

/// The row of a model type; nullptr where there is none.
const Family* find_family(std::string_view type);
const std::vector<Family>& families();
/// Tells whether some row reads a scale of the embedding or of scores under that key.
bool is_key_of_scale(std::string_view key);

// The rows, a file each.
std::vector<Family> rotary_families();
std::vector<Family> layered_families();
std::vector<Family> other_families();
std::vector<Family> image_families();
std::vector<Family> composite_families();

}  // namespace posenc::config
