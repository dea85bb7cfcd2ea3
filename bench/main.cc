// SPDX-License-Identifier: Apache-2.0
// posenc_bench: what posenc does in a second, beside what the machine can. A floor that is missed is printed, and is no
// error: the exit status is 0 for every run that measured what it was asked to.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "bench/buffer.h"
#include "bench/ceiling.h"
#include "bench/report.h"
#include "bench/target.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Request {
  Scope::Extent extent = Scope::Extent::full;
  std::string filter;
  std::string target;  // "" for the best
  std::string json;    // a file, "-" for the screen in place of the table, "" for none
};

std::vector<Row> all_rows(const Scope& scope) {
  std::vector<Row> rows;
  for (const auto of_word :
       {sinusoid_rows,  grid_rows,     coordinates_rows, timestep_rows, input_stage_rows, rotary_rows, backward_rows,
        attention_rows, additive_rows, recurrent_rows,   layers_rows,   transformer_rows, bias_rows,   operation_rows,
        growth_rows,    referee_rows,  text_rows,        files_rows,    tool_rows,        paths_rows,  pool_rows}) {
    for (Row& row : of_word(scope)) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> chosen_rows(const Scope& scope, const std::string& filter) {
  std::vector<Row> rows = all_rows(scope);
  const std::regex pattern(filter);
  std::erase_if(rows, [&](const Row& row) { return !std::regex_search(row.operation + " " + row.size, pattern); });
  return rows;
}

// In the second-level cache, in the last one, and four times that.
std::vector<Limit> limits(const Machine& machine) {
  const std::int64_t sizes[] = {machine.l2 / 2, machine.l3 / 4, machine.l3 * 4};
  const auto in = buffer(sizes[2]), out = buffer(sizes[2]);
  std::vector<Limit> found;
  for (const std::int64_t bytes : sizes) {
    const auto size = static_cast<std::size_t>(bytes);
    const Work work = {nullptr, out->bytes().first(size), in->bytes().first(size)};
    for (const Ceiling ceiling : {Ceiling::store, Ceiling::stream, Ceiling::copy, Ceiling::update}) {
      for (const int threads : {1, 2}) {
        if (threads > machine.cpus) continue;
        std::vector<double> seconds;
        for (int round = 0; round < 7; ++round) seconds.push_back(ceiling_seconds(ceiling, work, threads, 3));
        found.push_back({ceiling, bytes, threads, static_cast<double>(bytes) / spread(seconds).median * 1e-9});
      }
    }
  }
  return found;
}

void write_json(const std::string& path, const Json& report) {
  if (path == "-") {
    std::cout << report.dump(1) << "\n";
  } else if (!(std::ofstream(path) << report.dump(1) << "\n")) {
    throw std::runtime_error("cannot write " + path);
  }
}

using Say = std::function<void(const std::string&)>;

// Every chosen row, as lines while they come; its objects in the end.
Json run_rows(const Request& request, const Machine& machine, const Say& say) {
  const double seconds = request.extent == Scope::Extent::quick ? 0.5 : 3;
  Json objects = Json::array();
  Summary summary;
  std::string last_operation;
  Measured last = {};
  say(heading());
  for (const Row& row : chosen_rows({request.extent, machine.l3, free_memory()}, request.filter)) {
    if (!row.absent.empty()) {
      say(fmt::format("{}  {}: left out, {}\n", row.operation, row.size, row.absent));
      continue;
    }
    Measured measured = measure(row, seconds);
    const Measured* before = row.operation == last_operation ? &last : nullptr;
    const std::vector<Verdict> judged = verdicts(row, measured, before, has_avx512(machine));
    say(row_text(row, measured, judged));
    for (auto& object : row_json(row, measured, judged)) objects.push_back(std::move(object));
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const std::string name = fmt::format("{}  {}  on {}", row.operation, row.size, measured.cells[i].threads);
      switch (judged[i].kind) {
        case Verdict::Kind::none: break;
        case Verdict::Kind::ok: ++summary.reached; break;
        case Verdict::Kind::shortfall: summary.missed.push_back(name); break;
        case Verdict::Kind::limit: summary.beyond.push_back(name); break;
      }
    }
    last_operation = row.operation;
    last = std::move(measured);
  }
  say(summary_text(summary));
  return objects;
}

void run(const Request& request) {
  const Say say = [&](const std::string& text) {
    if (request.json != "-") std::cout << text << std::flush;
  };
  const std::string best = targets().front();
  if (!request.target.empty()) use_target(request.target);
  const Machine machine = this_machine(best);
  const double load_before = load();
  Json report = {{"machine", machine_json(machine)}, {"load_before", load_before}};
  say(machine_text(machine, load_before));
  if (request.filter.empty()) {
    const std::vector<Limit> found = limits(machine);
    say(limits_text(found));
    report["limits"] = limits_json(found);
  }
  report["rows"] = run_rows(request, machine, say);
  report["load_after"] = load();
  if (!request.json.empty()) write_json(request.json, report);
}

}  // namespace
}  // namespace posenc::bench

int main(int argc, char** argv) {
  posenc::bench::Request request;
  CLI::App app("Times posenc beside the ceilings of this machine.", "posenc_bench");
  app.add_flag_callback(
      "--quick", [&] { request.extent = posenc::bench::Scope::Extent::quick; },
      "smaller tables, less time: under 50 seconds");
  app.add_option("--filter", request.filter, "only rows whose operation and size match this regular expression");
  app.add_option("--target", request.target,
                 "the instruction set to measure, in place of the best that the machine has")
      ->type_name("NAME");
  app.add_option("--json", request.json, "raw numbers, into FILE, or onto the screen in place of the table")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("[FILE]");
  CLI11_PARSE(app, argc, argv);
  try {
    posenc::bench::run(request);
  } catch (const std::exception& error) {
    fmt::print(stderr, "posenc_bench: error: {}\n", error.what());
    return 1;
  }
}
