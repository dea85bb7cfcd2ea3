// SPDX-License-Identifier: Apache-2.0
// One way to write both formats.
#include "apps/posenc/cli/target.h"

#include <filesystem>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {

TensorFormat tensor_format(std::string_view operation, const std::string& path) {
  if (path.ends_with(".npy")) return TensorFormat::npy;
  if (path.ends_with(".safetensors")) return TensorFormat::safetensors;
  if (!path.empty() && !regular_target(path)) return TensorFormat::npy;  // /dev/null, a pipe
  refuse(operation, "the name of --out must end in .npy or .safetensors", quote(path));
}

bool regular_target(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

DType stored_type(TensorFormat format, DType type) {
  return format == TensorFormat::npy && type == DType::bf16 ? DType::f32 : type;
}

void check_type(std::string_view operation, const std::string& path, DType type) {
  if (tensor_format(operation, path) == TensorFormat::safetensors || type != DType::bf16) return;
  refuse(operation, "--dtype bf16 must go to a .safetensors file, as .npy has no such type", quote(path));
}

TensorTarget::TensorTarget(std::string_view operation, const std::string& path, io::TensorPlan plan,
                           std::vector<io::TensorPlan> others, const io::WriteOptions& options)
    : type_(plan.dtype) {
  const TensorFormat format = tensor_format(operation, path);
  if (format == TensorFormat::npy) {
    npy_.emplace(path, stored_type(format, plan.dtype), plan.shape, options);
    return;
  }
  std::vector<io::TensorPlan> plans = {std::move(plan)};
  plans.insert(plans.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  safetensors_.emplace(path, std::move(plans), io::Metadata{}, options);
}

void TensorTarget::write(const ConstView& piece) {
  if (safetensors_) return safetensors_->write(piece);
  if (type_ != DType::bf16) return npy_->write(piece);
  const auto* from = static_cast<const bfloat16*>(piece.data);  // pieces are row-major without gaps
  wide_.clear();
  for (std::int64_t i = 0; i < piece.count(); ++i) wide_.push_back(static_cast<float>(from[i]));
  npy_->write(view(std::as_const(wide_).data(), {piece.count()}));
}

io::FileWriter& TensorTarget::finish(std::span<const ConstView> others) {
  return safetensors_ ? safetensors_->finish(others) : npy_->finish();
}

}  // namespace posenc::tool
