// SPDX-License-Identifier: Apache-2.0
// Keys that a case has no use for are left out.
#include "apps/posenc/conformance/case_json.h"

#include <posenc/spec.h>

namespace posenc::tool {

Json json_of(const ConformanceCase& of) {
  Json json = {
      {"case", of.name}, {"operation", to_string(of.of)}, {"convention", Json::parse(io::to_json(of.convention))}};
  if (of.dim > 0) json["dim"] = of.dim;
  if (!of.axes.empty()) {
    json["axes"] = of.axes;
    json["positions"] = of.positions;
  }
  if (!of.head.empty()) json["head"] = of.head;
  if (of.window[0] > 0) json["window"] = of.window;
  if (of.context.length > 0) json["length"] = of.context.length;
  if (of.context.centre) json["centre"] = *of.context.centre;
  if (of.context.learned) json["learned"] = *of.context.learned;
  if (of.head_width > 0) json["head_width"] = of.head_width;
  json["shape"] = of.shape;
  json["dtype"] = of.whole() ? "i64" : "f32";
  json["recipe"] = to_string(of.original);
  return json;
}

}  // namespace posenc::tool
