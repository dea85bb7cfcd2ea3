// SPDX-License-Identifier: Apache-2.0
// Columns for people, fields for programs.
#include "bench/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/ceiling.h"

namespace posenc::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  return fmt::format("{:.4g} ms", seconds * 1e3);
}

std::string size_text(std::int64_t bytes) {
  if (bytes >= std::int64_t{10} << 30) return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= std::int64_t{1} << 20) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

double rate(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds * 1e-9 : 0;
}

// Below 1 GB/s to the MB/s: of text, and of what is bound by arithmetic.
std::string rate_text(std::int64_t bytes, double seconds) {
  if (bytes == 0 || seconds == 0) return "-";
  const double found = rate(bytes, seconds);
  return found < 1 ? fmt::format("{:.3f}", found) : fmt::format("{:.1f}", found);
}

std::string share_text(const Spread& share) { return share.median > 0 ? fmt::format("{:.3f}", share.median) : "-"; }

std::string floor_text(const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::none) return "-";
  return verdict.in_seconds ? time_text(verdict.floor) : fmt::format("{:.3f}", verdict.floor);
}

const char* word(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::none: return "-";
    case Verdict::Kind::ok: return "ok";
    case Verdict::Kind::shortfall: return "short";
    case Verdict::Kind::limit: return "limit";
  }
  return "-";
}

Json spread_json(const Spread& spread, double unit) {
  return {{"low", spread.low * unit}, {"median", spread.median * unit}, {"high", spread.high * unit}};
}

}  // namespace

std::string machine_text(const Machine& machine, double load) {
  return fmt::format(
      "cpu       {}, {} CPUs, {}\n"
      "threads   two on {}, as the system says\n"
      "target    {}{}\n"
      "caches    L1d {}, L2 {}, L3 {}\n"
      "compiler  {}, {}\n"
      "load      {:.2f}{}\n",
      machine.cpu, machine.cpus, size_text(machine.memory), machine.two_threads, machine.target,
      is_forced(machine) ? ", forced: this machine has " + machine.best_target : "", size_text(machine.l1),
      size_text(machine.l2), size_text(machine.l3), machine.compiler, machine.flags, load,
      load > 0.5 ? ": the machine is busy; ratios can be trusted more than times, rows on two threads least" : "");
}

std::string limits_text(const std::vector<Limit>& limits) {
  std::string text = "\nceiling            size  threads   GB/s of output\n";
  for (const Limit& limit : limits) {
    text += fmt::format("{:<12}{:>11}{:>9}{:>17.1f}\n", to_string(limit.ceiling), size_text(limit.bytes), limit.threads,
                        limit.gigabytes_per_second);
  }
  return text;
}

std::string heading() {
  return fmt::format("\n{:<30}{:<20}{:>8}{:>12}{:>8}  {:<18}{:>7}{:>7}{:>7}{:>9}\n", "operation", "size", "threads",
                     "time", "GB/s", "ceiling, GB/s", "ratio", "bare", "floor", "");
}

std::string row_text(const Row& row, const Measured& measured, const std::vector<Verdict>& verdicts) {
  std::string text;
  for (std::size_t i = 0; i < measured.cells.size(); ++i) {
    const Cell& cell = measured.cells[i];
    const bool bounded = row.ceiling != Ceiling::none;
    const std::string ceiling =
        bounded ? fmt::format("{} {}", to_string(row.ceiling), rate_text(measured.bytes, cell.ceiling_seconds.median))
                : "-";
    text += fmt::format("{:<30}{:<20}{:>8}{:>12}{:>8}  {:<18}{:>7}{:>7}{:>7}{:>9}", row.operation, row.size,
                        cell.threads, time_text(cell.seconds.median), rate_text(measured.bytes, cell.seconds.median),
                        ceiling, share_text(cell.ratio), share_text(cell.bare_ratio), floor_text(verdicts[i]),
                        word(verdicts[i].kind));
    if (row.memory > 0 && i == 0) text += fmt::format("  {} beside the output", size_text(measured.memory));
    text += "\n";
  }
  return text;
}

std::string summary_text(const Summary& summary) {
  const auto& [reached, missed, beyond] = summary;
  std::string text = fmt::format("\n{} floors reached, {} missed, {} beyond what memory gives a bare loop\n", reached,
                                 missed.size(), beyond.size());
  for (const std::string& name : missed) text += "  short: " + name + "\n";
  for (const std::string& name : beyond) text += "  limit: " + name + "\n";
  return text;
}

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cpus", machine.cpus},
          {"two_threads", machine.two_threads},
          {"target", machine.target},
          {"best_target", machine.best_target},
          {"l1_bytes", machine.l1},
          {"l2_bytes", machine.l2},
          {"l3_bytes", machine.l3},
          {"memory_bytes", machine.memory},
          {"compiler", machine.compiler},
          {"flags", machine.flags}};
}

Json limits_json(const std::vector<Limit>& limits) {
  Json list = Json::array();
  for (const Limit& limit : limits) {
    list.push_back({{"ceiling", to_string(limit.ceiling)},
                    {"bytes", limit.bytes},
                    {"threads", limit.threads},
                    {"gb_per_s", limit.gigabytes_per_second}});
  }
  return list;
}

Json row_json(const Row& row, const Measured& measured, const std::vector<Verdict>& verdicts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < measured.cells.size(); ++i) {
    const Cell& cell = measured.cells[i];
    Json object = {{"operation", row.operation},
                   {"size", row.size},
                   {"threads", cell.threads},
                   {"bytes", measured.bytes},
                   {"rounds", cell.rounds},
                   {"counted", cell.counted},
                   {"ns", spread_json(cell.seconds, 1e9)},
                   {"gb_per_s", rate(measured.bytes, cell.seconds.median)}};
    if (row.ceiling != Ceiling::none) {
      object["ceiling"] = to_string(row.ceiling);
      object["ceiling_ns"] = spread_json(cell.ceiling_seconds, 1e9);
      object["ratio"] = spread_json(cell.ratio, 1);
    }
    if (row.bare != Ceiling::none) {
      object["bare"] = to_string(row.bare);
      object["bare_ns"] = spread_json(cell.bare_seconds, 1e9);
      object["bare_ratio"] = spread_json(cell.bare_ratio, 1);
      object["of_bare"] = spread_json(cell.of_bare, 1);
    }
    if (verdicts[i].kind != Verdict::Kind::none) {
      object[verdicts[i].in_seconds ? "floor_ns" : "floor_ratio"] =
          verdicts[i].floor * (verdicts[i].in_seconds ? 1e9 : 1);
      object["verdict"] = word(verdicts[i].kind);
    }
    if (row.memory > 0) object["memory_bytes"] = measured.memory;
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace posenc::bench
