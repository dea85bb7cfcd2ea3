// SPDX-License-Identifier: Apache-2.0
// The vendored file turns as the library does, bit for bit: every convention, width, type and kind of position of it.
#include "tests/vendored/kinds.h"

namespace {

// ---- rotations -----------------------------------------------------------------------------------

// Values of every size, some 0.
template <class T>
std::vector<T> values(std::size_t count) {
  std::vector<T> all(count);
  std::uint64_t state = 88172645463325252u;
  for (T& each : all) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    each = T(static_cast<float>(static_cast<std::int64_t>(state % 4096) - 2048) / 512);
  }
  return all;
}

// A list of coordinates for each of the axes, of which the last one differs: 128 bits do not reach sums of angles below
// 2^-58, where the file reports a problem.
struct Places {
  std::vector<posenc::Positions> ours;
  std::vector<vendored::Positions> theirs;
};
Places places(const Named& kind, std::size_t axes) {
  Places all = {std::vector(axes, kind.ours), std::vector(axes, kind.theirs)};
  if (axes > 1) {
    all.ours.back() = posenc::Positions::list(posenc::view(column, {length}));
    all.theirs.back() = vendored::Positions::list(vendored::view(column, {length}));
  }
  return all;
}

template <class T, class V>
void compare_rotations(const std::string& what, const posenc::RotaryRows& ours, const vendored::RotaryRows& theirs,
                       std::int64_t width) {
  constexpr std::int64_t heads = 3;
  for (const Named& kind : kinds()) {
    const auto [our_places, their_places] = places(kind, ours.axes().size());
    for (const std::int64_t more : {0, 3}) {  // columns that stand
      const std::int64_t d = width + more;
      const auto count = static_cast<std::size_t>(length * heads * d);
      const std::vector<T> in = values<T>(count);
      for (const bool forward : {true, false}) {
        std::vector<T> a = in;
        std::vector<V> b(count);
        static_assert(sizeof(T) == sizeof(V));
        std::memcpy(b.data(), in.data(), count * sizeof(T));
        const posenc::Rotated our_tensor[] = {
            {posenc::view(a.data(), {length, heads, d}), posenc::TokenAxis::before_heads}};
        const vendored::Rotated their_tensor[] = {
            {vendored::view(b.data(), {length, heads, d}), vendored::TokenAxis::before_heads}};
        ours.rotate(our_places, our_tensor, forward ? posenc::Direction::forward : posenc::Direction::inverse);
        theirs.rotate(their_places, their_tensor,
                      forward ? vendored::Direction::forward : vendored::Direction::inverse);
        expect(std::memcmp(a.data(), b.data(), count * sizeof(T)) == 0,
               what + " " + kind.name + (forward ? "" : ", inverse") + ", " + std::to_string(d) + " columns of " +
                   std::string(to_string(posenc::dtype_of<T>)));
      }
    }
  }
}

constexpr const char* forms[] = {"halves_twice", "pairs_twice", "sine_cosine", "complex"};
int caches = 0;

void compare_cache(const std::string& what, const posenc::RotaryCache& ours, const vendored::RotaryCache& theirs) {
  expect(ours.tensors() == theirs.tensors() && ours.width() == theirs.width(), what + ": tensors");
  expect(ours.frequencies() == theirs.frequencies(), what + ": frequencies");
  for (const std::string& tensor : ours.tensors()) {
    for (const Named& kind : kinds()) {
      const auto [our_places, their_places] = places(kind, ours.axes().size());
      std::vector<float> x(static_cast<std::size_t>(length * ours.width())), y(x.size());
      ours.write(tensor, our_places, posenc::view(x.data(), {length, ours.width()}));
      theirs.write(tensor, their_places, vendored::view(y.data(), {length, ours.width()}));
      expect(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0, what + " " + tensor + " " + kind.name);
    }
  }
  ++caches;
}

// The file refuses no cache that the library has, of angles aside.
void compare_caches(const std::string& what, const posenc::Convention& ours, const vendored::Convention& theirs,
                    std::int64_t width, const posenc::Context& our_context, const vendored::Context& their_context) {
  const posenc::Options our_options = {.context = our_context};
  const vendored::Options their_options = {.recipe = vendored::exact(), .context = their_context};
  const auto compare = [&](const std::string& form, const posenc::Convention& a, const vendored::Convention& b) {
    const bool refused = posenc::RotaryCache::check(a, width, our_options).has_value();
    const auto problem = vendored::RotaryCache::check(b, width, their_options);
    expect(refused == problem.has_value(), what + " " + form + ": a cache is refused alike");
    if (refused || problem) return;
    compare_cache(what + " " + form, {a, width, our_options}, {b, width, their_options});
  };
  compare("as it is", ours, theirs);
  for (const char* form : forms) {
    compare(form, posenc::with(ours, "stored", form), vendored::with(theirs, "stored", form));
  }
}

// Keys of a cache that move from some positions to others.
void compare_moves(const std::string& what, const posenc::Convention& ours, const vendored::Convention& theirs,
                   std::int64_t width, const posenc::Context& our_context, const vendored::Context& their_context) {
  const std::size_t axes = posenc::axes_of(ours).size();
  const std::vector<posenc::Positions> our_from(axes, posenc::Positions::range(100, length)),
      our_to(axes, posenc::Positions::list(posenc::view(column, {length})));
  const std::vector<vendored::Positions> their_from(axes, vendored::Positions::range(100, length)),
      their_to(axes, vendored::Positions::list(vendored::view(column, {length})));
  const std::vector<float> in = values<float>(static_cast<std::size_t>(length * width));
  std::vector<float> a = in, b = in;
  const posenc::Rotated our_keys(posenc::view(a.data(), {length, width}));
  const vendored::Rotated their_keys(vendored::view(b.data(), {length, width}));
  const posenc::Standing our_places[] = {{our_from, our_context}, {our_to, our_context}};
  const vendored::Standing their_places[] = {{their_from, their_context}, {their_to, their_context}};
  const bool refused = posenc::check_rerotate(ours, our_places[0], our_places[1], our_keys).has_value();
  expect(refused == vendored::check_rerotate(theirs, their_places[0], their_places[1], their_keys).has_value(),
         what + ": keys that move are refused alike");
  if (refused) return;
  posenc::rerotate(ours, our_places[0], our_places[1], our_keys);
  vendored::rerotate(theirs, their_places[0], their_places[1], their_keys);
  expect(a == b && a != in, what + ": keys that move");
}

void compare_rotation(const vendored::Preset& preset, std::int64_t width, std::int64_t tokens) {
  const std::string what = std::string(preset.name) + " " + std::to_string(width);
  const posenc::Convention& convention = posenc::preset(preset.name).convention;
  posenc::Context our_context;
  vendored::Context their_context;
  our_context.length = their_context.length = tokens;
  const posenc::RotaryRows ours(convention, width, {.context = our_context});
  const vendored::RotaryRows theirs(preset.convention, width, {.recipe = vendored::exact(), .context = their_context});
  expect(ours.width() == theirs.width() && ours.axes() == theirs.axes(), what + ": width and axes");
  compare_rotations<float, float>(what, ours, theirs, width);
  compare_rotations<posenc::bfloat16, vendored::bfloat16>(what, ours, theirs, width);
  compare_rotations<posenc::half, vendored::half>(what, ours, theirs, width);
  compare_rotations<double, double>(what, ours, theirs, width);
  compare_caches(what, convention, preset.convention, width, our_context, their_context);
  compare_moves(what, convention, preset.convention, width, our_context, their_context);
}

// ---- wrong input ---------------------------------------------------------------------------------

std::string message(const std::optional<vendored::Problem>& problem) { return problem ? problem->message() : ""; }

void expect_errors() {
  const vendored::Preset& first = vendored::presets().front();
  expect(message(vendored::check_preset("no-such-model")).find("got 'no-such-model'") != std::string::npos,
         "an unknown name is named");
  const std::string near = message(vendored::check_preset("llama-3.2"));
  expect(near.find("llama-3.1") != std::string::npos && near.size() < 200, "the nearest names are told: " + near);
  const std::string width = message(vendored::RotaryRows::check(first.convention, 6));
  expect(width.find("the width must be one that this file was made for") != std::string::npos &&
             width.find("got 6") != std::string::npos,
         "a width that was not made is refused: " + width);
  const auto changed = [&](std::string_view path, const vendored::FieldValue& value) {
    const vendored::FieldChange change[] = {{path, value}};
    return message(vendored::check_changes(first.convention, change));
  };
  expect(changed("ladder.base", 5e5) ==
             "[convention] the path must be stored: other fields are chosen when this file is made, got 'ladder.base'",
         "a field of the plan is refused: " + changed("ladder.base", 5e5));
  const posenc::FieldChange halves[] = {{"stored", "halves"}};
  expect(changed("stored", "halves") == posenc::check_changes(posenc::preset(first.name).convention, halves)->message(),
         "a form that there is not is refused as the library does: " + changed("stored", "halves"));
  const vendored::Convention angles = vendored::with(first.convention, {{"stored", "angles_twice"}});
  expect(message(vendored::RotaryCache::check(angles, 64)).find("got angles_twice") != std::string::npos,
         "a cache of angles is refused");
  expect(message(vendored::RotaryRows::check({}, 64)).find("got none") != std::string::npos,
         "no convention is refused");
}

}  // namespace

int main() {
  int rotations = 0;
  for (const vendored::Preset& preset : vendored::presets()) {
    for (std::int64_t width = 1; width <= 512; ++width) {
      for (const std::int64_t tokens : {0, 100, 1000000}) {
        vendored::Context context;
        context.length = tokens;
        if (vendored::RotaryRows::check(preset.convention, width, {.recipe = vendored::exact(), .context = context}))
          continue;
        compare_rotation(preset, width, tokens);
        ++rotations;
        if (tokens == 0) break;  // of every length
      }
    }
  }
  expect_errors();
  expect(rotations >= 150, "150 rotations or more are compared: " + std::to_string(rotations));
  expect(caches >= 600, "600 caches or more are compared: " + std::to_string(caches));
  std::printf("%d rotations, %d caches: %d differences\n", rotations, caches, differences);
  return differences == 0 ? 0 : 1;
}
