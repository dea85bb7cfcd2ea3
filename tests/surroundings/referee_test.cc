// SPDX-License-Identifier: Apache-2.0
// The referee, by its calls and as JSON, in every floating-point environment.
#include <posenc/io/conformance_vectors.h>
#include <posenc/io/identify_file.h>
#include <posenc/io/npy.h>
#include <posenc/preset.h>
#include <posenc/referee/compare.h>
#include <posenc/referee/conformance.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/explain.h>
#include <posenc/referee/head_order.h>
#include <posenc/referee/identify.h>
#include <posenc/referee/referee.h>
#include <posenc/referee/table_order.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include <filesystem>

#include "tests/surroundings/environments.h"
#include "tests/surroundings/results.h"

namespace posenc::test {
using posenc::to_json;

namespace {

const Convention& named(std::string_view name) { return preset(name).convention; }

// Rows of a preset from a position on, made in the default environment before anything else is.
std::vector<float> table_of(const char* name, std::int64_t first, std::int64_t rows, std::int64_t width) {
  std::vector<float> table(static_cast<std::size_t>(rows * width));
  sinusoid(named(name), Positions::range(first, rows), view(table.data(), {rows, width}));
  return table;
}
const std::vector<float> from_7 = table_of("transformer", 7, 64, 64), from_0 = table_of("whisper", 0, 48, 32);

ConstView view_from_7() { return view(from_7.data(), {64, 64}); }
ConstView view_from_0() { return view(from_0.data(), {48, 32}); }

// An element that is no number, infinite or subnormal: what traps are for.
const std::vector<float> odd = [] {
  std::vector<float> made = from_7;
  made[70] = std::bit_cast<float>(0x7F800000u), made[90] = std::bit_cast<float>(0x7FA00000u),
  made[100] = std::bit_cast<float>(1u);
  return made;
}();

const std::vector<float> heads = numbers(8 * 64);
const std::vector<float> turned = [] {
  std::vector<float> out(heads.size());
  rotary(named("llama"), Positions::range(3, 8), view(heads.data(), {8, 64}), view(out.data(), {8, 64}));
  return out;
}();

// 64 rows of waves as a file, written once.
std::string file_of_rows() {
  static const std::string path = [] {
    const std::string made = (std::filesystem::temp_directory_path() / "posenc_surroundings.npy").string();
    io::write_npy(made, view_from_7());
    return made;
  }();
  return path;
}

constexpr std::string_view llama = R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4,
  "num_hidden_layers": 2, "max_position_embeddings": 131072, "rope_theta": 500000.1, "rope_scaling": {
  "rope_type": "llama3", "factor": 8.1, "low_freq_factor": 1.1, "high_freq_factor": 4.1,
  "original_max_position_embeddings": 8192}})";

const Row referee_rows[] = {
    {"identify",
     [] {
       const Identification found = identify(view_from_7());
       return to_json(found) + to_string(found);
     }},
    {"identify, from 0", [] { return to_json(identify(view_from_0())); }},
    {"identify, odd", [] { return to_json(identify(view(odd.data(), {64, 64}))); }},
    {"identify, frequencies",
     [] {
       static const std::vector<double> w = Rows(named("transformer"), 64).frequencies();
       return to_json(identify(view(w.data(), {32})));
     }},
    {"identify_rotation",
     [] {
       return to_json(
           identify_rotation(view(heads.data(), {8, 64}), view(turned.data(), {8, 64}), Positions::range(3, 8)));
     }},
    {"compare", [] { return to_json(compare(named("transformer"), named("whisper"), {.dim = 32})); }},
    {"compare, rotations", [] { return to_string(compare(named("rope-yarn"), named("rope-llama3"), {.dim = 64})); }},
    {"diagnose", [] { return to_json(diagnose(view_from_7(), named("transformer"))); }},
    {"diagnose, wrong", [] { return to_string(diagnose(view_from_7(), named("whisper"))); }},
    {"explain",
     [] {
       const EntryAsked asked = {.dim = 64, .column = 5, .at = {Positions::range(1234567, 1)}};
       return to_json(explain(named("transformer"), asked)) +
              to_string(explain(named("transformer"), asked, {.recipe = *find_recipe("f32-exp")}));
     }},
    {"explain, rotation",
     [] { return to_json(explain(named("gpt-oss"), {.dim = 64, .column = 20, .at = {Positions::range(77, 1)}})); }},
    {"parting",
     [] {
       const auto found = parting(named("rope-yarn"), named("rope-half"), 64, 4096);
       return found ? to_json(*found) + to_string(*found) : std::string("none");
     }},
    {"conformance_case", [] { return to_json(conformance_case("transformer")); }},
    {"conformance_score, scored_line, write_conformance_values",
     [] {
       const ConformanceCase of = conformance_case("transformer");
       std::int64_t count = 1;
       for (const std::int64_t size : of.shape) count *= size;
       std::vector<float> answer(static_cast<std::size_t>(count));
       View out = view(answer.data(), {of.shape[0], count / of.shape[0]});
       require(write_conformance_values(of, exact(), out));
       answer[3] = std::bit_cast<float>(0x3F012345u);
       return to_json(scored_line(of, out)) + to_string(ScoreCard{{scored_line(of, out)}}) +
              std::to_string(conformance_score(of, out).findings.size());
     }},
    {"head_order",
     [] {
       const HeadOrder order = head_order(named("rope-pair"), named("rope-half"), 16);
       const HeadProof proof = prove_head_order(named("rope-pair"), named("rope-half"), order,
                                                std::vector<Projection>{{1, {{Holds::query, 2}}}});
       return bytes(order.read) + bytes(order.written) + (proof.holds ? "holds" : "no");
     }},
    {"table_order, prove_table",
     [] {
       const TableProof proof = prove_table(named("transformer"), 7, view_from_7());
       return bytes(table_order(named("transformer"), with_field(named("transformer"), "layout", "sine_first"), 64)) +
              std::to_string(proof.entries) + (proof.outside ? "outside" : "inside");
     }},
    {"convention_from_json, to_json",
     [] { return to_json(io::convention_from_json(to_json(named("rope-llama3")))) + to_json(preset("musicgen")); }},
    {"convention_from_json, decimals",
     [] {
       std::string text = to_json(named("transformer"));
       const std::size_t at = text.find("10000");
       return to_json(io::convention_from_json(text.replace(at, 5, "10000.1000000000012345678901")));
     }},
    {"convention_from_json, an error", [] { return error_of([] { io::convention_from_json(R"({"base": 1e999})"); }); }},
    {"convention_schema, conventions_page", [] { return io::convention_schema() + io::conventions_page(); }},
    {"paths_of", [] { return std::to_string(io::paths_of(named("rope-yarn")).size()); }},
    {"inspect",
     [] {
       const ModelPositions found = inspect(llama);
       return to_json(found) + to_string(found) + joined(differences(found, inspect(llama)));
     }},
    {"inspect, an error",
     [] { return error_of([] { inspect(R"({"model_type": "llama", "rope_theta": -1e-320})"); }); }},
    {"identify_file", [] { return to_json(io::identify_file(file_of_rows())); }},
};

TEST(Surroundings, TheRefereeIsTheSameInEveryEnvironment) {
  for (const Row& row : referee_rows) expect_same_everywhere(row);
}

}  // namespace
}  // namespace posenc::test
