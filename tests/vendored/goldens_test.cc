// SPDX-License-Identifier: Apache-2.0
// The vendored file turns the inputs of tests/goldens as the scripts did with correctly rounded cosines and sines, and
// as the library does: bit for bit.
#include "tests/golden_files.h"
#include "tests/vendored/kinds.h"

namespace {

using posenc::test::GoldenArray;
using posenc::test::GoldenFile;

int cases = 0, left_out = 0;

template <class T, class V>
void compare(const std::string& what, const posenc::RotaryRows& ours, const vendored::RotaryRows& theirs,
             const GoldenFile& file, const std::string& of) {
  const GoldenArray &in = file[of + "/in"], &exact = file[of + "/exact"], &positions = file[of + "/positions"];
  const auto bytes = in.bytes.size();
  std::vector<T> a(in.values<T>().begin(), in.values<T>().end());
  std::vector<V> b(a.size());
  static_assert(sizeof(T) == sizeof(V));
  std::memcpy(b.data(), in.bytes.data(), bytes);
  const auto& n = in.shape;  // [1, heads, L, d]
  const posenc::Rotated our_tensor(posenc::view(a.data(), {n[0], n[1], n[2], n[3]}), posenc::TokenAxis::before_columns);
  const vendored::Rotated their_tensor(vendored::view(b.data(), {n[0], n[1], n[2], n[3]}),
                                       vendored::TokenAxis::before_columns);
  const std::int64_t* const p = positions.values<std::int64_t>().data();
  ours.rotate(posenc::Positions::list(posenc::view(p, {n[2]})), our_tensor);
  theirs.rotate(vendored::Positions::list(vendored::view(p, {n[2]})), their_tensor);
  expect(std::memcmp(a.data(), b.data(), bytes) == 0, what + ": the bits of the library");
  expect(exact.bytes.size() == bytes && std::memcmp(exact.bytes.data(), b.data(), bytes) == 0,
         what + ": the bits of the golden");
}

void compare_case(const vendored::Preset& preset, const GoldenFile& file, const std::string& of) {
  const std::string what = file.name() + " " + of;
  const posenc::Convention& convention = posenc::preset(preset.name).convention;
  const bool whole = std::holds_alternative<posenc::AllColumns>(std::get<posenc::Rotary>(convention).part);
  const std::int64_t width = whole ? 2 * file[of + "/ladder"].shape.at(0) : file[of + "/in"].shape.at(3);
  posenc::Context our_context;
  vendored::Context their_context;
  our_context.length = their_context.length = std::stoll("0" + file.metadata("length"));
  const vendored::Options options = {vendored::exact(), vendored::serial, vendored::Reading::by_size, their_context};
  if (vendored::RotaryRows::check(preset.convention, width, options)) {
    ++left_out;  // of another width
    return;
  }
  const posenc::RotaryRows ours(convention, width, {.context = our_context});
  const vendored::RotaryRows theirs(preset.convention, width, options);
  if (file[of + "/in"].dtype == posenc::DType::f32) {
    compare<float, float>(what, ours, theirs, file, of);
  } else {
    compare<posenc::bfloat16, vendored::bfloat16>(what, ours, theirs, file, of);
  }
  ++cases;
}

}  // namespace

int main() {
  for (const std::string& name : posenc::test::golden_names("rotations")) {
    const GoldenFile file(name);
    const vendored::Preset* const preset = vendored::find_preset(file.metadata("preset"));
    if (preset == nullptr) continue;  // dynamic NTK
    for (const std::string& of : file.cases()) compare_case(*preset, file, of);
  }
  expect(cases >= 20, "20 cases or more are compared: " + std::to_string(cases));
  std::printf("%d cases, %d of widths that the file has not: %d differences\n", cases, left_out, differences);
  return differences == 0 ? 0 : 1;
}
