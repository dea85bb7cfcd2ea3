// SPDX-License-Identifier: Apache-2.0
// One way to write all formats, into files and down standard output.
#include "apps/posenc/cli/target.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <filesystem>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

struct FormatWord {
  std::string_view word, end;
  TensorFormat format;
};
constexpr FormatWord formats[] = {{"npy", ".npy", TensorFormat::npy},
                                  {"safetensors", ".safetensors", TensorFormat::safetensors},
                                  {"raw", "", TensorFormat::raw}};

std::optional<TensorFormat> format_by_name(const std::string& path) {
  for (const FormatWord& each : formats) {
    if (!each.end.empty() && path.ends_with(each.end)) return each.format;
  }
  return std::nullopt;
}

std::optional<TensorFormat> stated_format(const Arguments& arguments) {
  const std::optional<std::string> word = arguments.find(format_option.name);
  if (!word) return std::nullopt;
  for (const FormatWord& each : formats) {
    if (each.word == *word) return each.format;
  }
  refuse(arguments.operation, "--format must be npy, safetensors or raw", quote(*word));
}

void check_standard_output(const Arguments& arguments, std::string_view option) {
  if (arguments.has("--json")) {
    refuse(arguments.operation, fmt::format("{} - must come without --json, as both go to standard output", option),
           "both");
  }
  if (!on_terminal()) return;
  const std::string_view instead = option == out_option.name ? "; without --out an excerpt is shown" : "";
  refuse(arguments.operation, fmt::format("{} - must go to a pipe or a file{}", option, instead), "a terminal");
}

io::WriteOptions down_standard_output() { return {.sync = io::Sync::none, .descriptor = STDOUT_FILENO}; }

}  // namespace

TensorFormat tensor_format(std::string_view operation, std::string_view option, const std::string& path) {
  if (const auto format = format_by_name(path)) return *format;
  if (!path.empty() && !regular_target(path)) return TensorFormat::npy;  // /dev/null, a pipe
  refuse(operation, fmt::format("the name of {} must end in .npy or .safetensors, or --format say what it is", option),
         quote(path));
}

bool Out::regular() const { return !standard_output() && regular_target(path); }

std::optional<Out> read_out(const Arguments& arguments, const io::WriteOptions& writing) {
  const std::optional<std::string> path = arguments.find(out_option.name);
  const std::optional<TensorFormat> stated = stated_format(arguments);
  if (!path) {
    if (stated) refuse(arguments.operation, "--format must come with --out", quote(arguments.get(format_option.name)));
    return std::nullopt;
  }
  return out_at(arguments, out_option.name, *path, writing);
}

Out out_at(const Arguments& arguments, std::string_view option, const std::string& path,
           const io::WriteOptions& writing) {
  const std::optional<TensorFormat> stated = stated_format(arguments);
  if (path == standard_stream) {
    check_standard_output(arguments, option);
    return {path, stated.value_or(TensorFormat::npy), down_standard_output()};
  }
  const std::optional<TensorFormat> named = format_by_name(path);
  if (stated && named && *stated != *named) {
    refuse(arguments.operation, fmt::format("--format must be what the name of {} says", option),
           quote(arguments.get(format_option.name)) + " and " + quote(path));
  }
  return {path, stated ? *stated : tensor_format(arguments.operation, option, path), writing};
}

ProgressLine line_beside(const Out& out) {
  struct stat state = {};
  const bool pipe = ::fstat(STDOUT_FILENO, &state) == 0 && S_ISFIFO(state.st_mode);
  return out.standard_output() && pipe ? ProgressLine::the_readers : ProgressLine::own;
}

bool regular_target(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

DType stored_type(TensorFormat format, DType type) {
  return format == TensorFormat::npy && type == DType::bf16 ? DType::f32 : type;
}

void check_out(std::string_view operation, const Out& out, DType type, std::int64_t bytes) {
  if (out.format == TensorFormat::npy && type == DType::bf16) {
    refuse(operation, "--dtype bf16 must go to a .safetensors file or --format raw, as .npy has no such type",
           quote(out.title()));
  }
  if (out.regular()) check_space(operation, bytes, out.path);
}

TensorTarget::TensorTarget(const Out& out, Contents contents) : type_(contents.first.dtype) {
  io::TensorPlan& first = contents.first;
  switch (out.format) {
    case TensorFormat::npy: npy_.emplace(out.title(), stored_type(out.format, type_), first.shape, out.writing); return;
    case TensorFormat::raw: raw_.emplace(out.title(), out.writing); return;
    case TensorFormat::safetensors: break;
  }
  std::vector<io::TensorPlan> plans = {std::move(first)};
  plans.insert(plans.end(), std::make_move_iterator(contents.others.begin()),
               std::make_move_iterator(contents.others.end()));
  safetensors_.emplace(out.title(), std::move(plans), std::move(contents.about), out.writing);
}

void TensorTarget::write(const ConstView& piece) {
  static_assert(std::endian::native == std::endian::little);
  if (safetensors_) return safetensors_->write(piece);
  if (raw_) {
    return raw_->write(
        {static_cast<const std::byte*>(piece.data), static_cast<std::size_t>(piece.count()) * size_of(piece.dtype)});
  }
  if (type_ != DType::bf16) return npy_->write(piece);
  const auto* from = static_cast<const bfloat16*>(piece.data);
  wide_.clear();
  for (std::int64_t i = 0; i < piece.count(); ++i) wide_.push_back(static_cast<float>(from[i]));
  npy_->write(view(std::as_const(wide_).data(), {piece.count()}));
}

io::FileWriter& TensorTarget::finish(std::span<const ConstView> others) {
  if (raw_) return *raw_;
  return safetensors_ ? safetensors_->finish(others) : npy_->finish();
}

}  // namespace posenc::tool
