// SPDX-License-Identifier: Apache-2.0
// Queries and keys turned where they lie, and their cosines and sines: a long text of 32 heads, and one decoding step.
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t heads = 32, usual_head = 128;

// At one position on every axis. Queries, then keys, in one piece of memory: [2, heads, length, head].
template <class T>
Work turn(const std::string& name, std::int64_t length, std::int64_t first, std::int64_t head) {
  const RotaryRows rotary(preset(name).convention, head, {.context = {.length = length, .centre = length / 2}});
  const std::vector<Positions> lists(rotary.axes().size(), Positions::range(first, length));
  const std::int64_t count = heads * length * head;
  const auto both = buffer(2 * count * static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t i = 0; i < 2 * count; ++i) both->as<T>()[i] = T(0.25f + static_cast<float>(i % 1024) * 0.001f);
  const View q = view(both->as<T>(), {heads, length, head}), k = view(both->as<T>() + count, {heads, length, head});
  return {.run =
              [=](const Executor& executor) {
                const Rotated tensors[] = {{q, RotatedSide::query, TokenAxis::before_columns},
                                           {k, RotatedSide::key, TokenAxis::before_columns}};
                rotary.rotate(lists, tensors, Direction::forward, executor);
              },
          .out = both->bytes(),
          .owns = {both}};
}

template <class T>
Row long_text(const std::string& name, Floor one, Floor two, std::int64_t head = usual_head) {
  constexpr std::int64_t length = 4096;
  const std::string kind = name == "rope-half" ? "" : name == "rope-pair" ? ", adjacent" : ", " + name;
  return {"rotary " + std::string(to_string(dtype_of<T>)) + kind,
          "2 x 32 x 4096 x " + std::to_string(head),
          Ceiling::update,
          one,
          two,
          [=] { return turn<T>(name, length, 0, head); }};
}

// One token of queries and keys.
Row step(const std::string& name, std::int64_t head) {
  return {"rotary step" + (name == "rope-half" ? "" : ", " + name),
          "2 x 32 x " + std::to_string(head),
          Ceiling::none,
          no_floor,
          no_floor,
          [=] { return turn<float>(name, 1, 77, head); },
          {1}};
}

// Cosines and sines of positions 77, 78, .., as a model's layers read them: [2, length, head].
Work cosines(std::int64_t length) {
  const RotaryCache cache(with_field(preset("rope-half").convention, "stored", "halves_twice"), usual_head);
  const auto both = buffer(2 * length * usual_head * static_cast<std::int64_t>(sizeof(float)));
  const View cosine = view(both->as<float>(), {length, usual_head});
  const View sine = view(both->as<float>() + length * usual_head, {length, usual_head});
  return {.run =
              [=](const Executor& executor) {
                cache.write("cos", Positions::range(77, length), cosine, executor);
                cache.write("sin", Positions::range(77, length), sine, executor);
              },
          .out = both->bytes(),
          .owns = {both}};
}

Row cache(std::int64_t length) {
  return {"rotary cache f32", "2 x " + std::to_string(length) + " x " + std::to_string(usual_head),
          Ceiling::store,     no_floor,
          no_floor,           [=] { return cosines(length); }};
}

}  // namespace

std::vector<Row> rotary_rows(const Scope&) {
  const Floor one = share(0.82), two = share(0.92);
  return {
      long_text<float>("rope-half", one, two),
      long_text<float>("rope-pair", one, two),
      long_text<bfloat16>("rope-half", one, two),
      long_text<bfloat16>("rope-pair", one, two),
      long_text<float>("mrope-chunk", no_floor, no_floor),
      long_text<float>("rope-yarn", no_floor, no_floor),
      long_text<float>("xpos-lucid", no_floor, no_floor),
      long_text<float>("mrope-interleaved", no_floor, no_floor),
      long_text<float>("gpt-oss", no_floor, no_floor),
      long_text<float>("rope-half", no_floor, no_floor, 192),
      long_text<float>("deepseek-v3", no_floor, no_floor, 192),
      long_text<float>("rope-half", no_floor, no_floor, 64),
      long_text<float>("vjepa2", no_floor, no_floor, 64),
      long_text<float>("rope2d-gemma4-vision", no_floor, no_floor, 64),
      step("rope-half", usual_head),
      step("mrope-chunk", usual_head),
      step("rope-half", 192),
      step("deepseek-v3", 192),
      step("rope-half", 64),
      step("rope-pair", 64),
      step("vjepa2", 64),
      step("rope2d-gemma4-vision", 64),
      cache(1),
      cache(4096),
  };
}

}  // namespace posenc::bench
