// SPDX-License-Identifier: Apache-2.0
// Makes the object of every preset that has a ladder, and of the scalings that presets lack, each once under the
// counter of callgrind: "KIND NAME WIDTH" is the name of its count.
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>
#include <valgrind/callgrind.h>

#include <string>

namespace posenc {
namespace {

const Options options = {.context = {.length = 4096, .centre = 2048}};

template <class Object>
bool counted(const std::string& kind, const std::string& name, const Convention& convention, std::int64_t width) {
  if (Object::check(convention, width, options)) return false;
  const Object once(convention, width, options);  // what is made once a process
  const std::string title = kind + " " + name + " " + std::to_string(width);
  CALLGRIND_ZERO_STATS;
  const Object object(convention, width, options);
  CALLGRIND_DUMP_STATS_AT(title.c_str());
  return true;
}

bool count(const std::string& name, const Convention& convention, std::int64_t width) {
  return counted<RotaryRows>("rotation", name, convention, width) || counted<Rows>("rows", name, convention, width);
}

Convention scaled(const Scaling& scaling) {
  Convention convention = preset("rope-half").convention;
  std::get<Geometric>(std::get<Rotary>(convention).ladders[0]).scaling = scaling;
  return convention;
}

void count_scalings(std::int64_t width) {
  const auto pairs = static_cast<std::size_t>(width / 2);
  std::vector<double> factors;
  for (std::size_t k = 0; k < pairs; ++k) factors.push_back(1.0 + 0.37 * static_cast<double>(k));
  count("scaled-linear", scaled(LinearScaling{8}), width);
  count("scaled-ntk", scaled(NtkScaling{8}), width);
  count("scaled-dynamic", scaled(DynamicNtkScaling{8, 2048}), width);
  count("scaled-yarn", scaled(YarnScaling{8, 4096, 32, 1, Truncate::whole}), width);
  count("scaled-yarn-untruncated", scaled(YarnScaling{8, 4096, 32, 1, Truncate::none}), width);
  count("scaled-longrope", scaled(LongRopeScaling{factors, factors, 2048}), width);
  count("scaled-llama3", scaled(Llama3Scaling{8, 1, 4, 8192}), width);
  count("scaled-llama3-no-band", scaled(Llama3Scaling{8, 2, 2, 8192}), width);
  count("scaled-proportional", scaled(ProportionalScaling{8, 0.25}), width);
  count("scaled-clipped", scaled(ClippedScaling{20}), width);
}

}  // namespace
}  // namespace posenc

// Presets at the first width that they have, since a count takes a tenth of a second; scalings and plain ladders at
// all.
int main() {
  using namespace posenc;
  for (const Preset& preset : presets()) {
    for (const std::int64_t width : {128, 64, 256}) {
      if (count(std::string(preset.name), preset.convention, width)) break;
    }
  }
  for (const std::int64_t width : {64, 128, 256}) {
    count_scalings(width);
    for (const char* const plain : {"rope-half", "transformer", "gpt-oss", "rope-llama3", "rope2d-dinov3"}) {
      count(plain, preset(plain).convention, width);
    }
  }
}
