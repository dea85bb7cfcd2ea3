// SPDX-License-Identifier: Apache-2.0
// Tables of the cosines and sines of rotations, in every form.
#include <posenc/preset.h>
#include <posenc/rotary_cache.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

template <class T>
void put_cache(const Surroundings& how, const std::string& name, const RotaryCache& cache, std::string_view tensor,
               const Positions& positions) {
  Threads threads(how.threads);
  RowMemory<T> out(how, positions.count_, cache.width());
  in_cuts(how, positions.count_, [&](std::int64_t first, std::int64_t count) {
    cache.write(tensor, part(positions, first, count), out.view(first, count), threads.executor());
  });
  out.put(name);
}

void caches_of(const Surroundings& how, const std::string& name, std::string_view form, const Recipe& recipe) {
  const Convention convention = with_field(preset(name).convention, "stored", form);
  if (RotaryCache::check(convention, 12, {.recipe = recipe})) return;  // no recipe makes angles
  const RotaryCache cache(convention, 12, {.recipe = recipe});
  for (const std::string& tensor : cache.tensors()) {
    for_types([&]<class T>(T) {
      for (const Positions& positions : {near(), integers(), reals()}) {
        const std::string work = "cache/" + name + "/" + std::string(form) + "/" + tensor + "/" + recipe.name;
        put_cache<T>(how, work, cache, tensor, positions);
      }
    });
  }
}

}  // namespace

void write_caches(const Surroundings& how) {
  for (const char* name : {"rope-half", "glm", "gpt-oss"}) {  // all columns, a part, a magnitude
    for (const char* form : {"halves_twice", "pairs_twice", "sine_cosine", "complex", "angles_twice"}) {
      for (const Recipe& recipe : {exact(), preset(name).original}) caches_of(how, name, form, recipe);
    }
  }
}

}  // namespace posenc::proof
