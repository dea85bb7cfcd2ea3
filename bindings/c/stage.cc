// SPDX-License-Identifier: Apache-2.0
// The input stage, its backward pass, and the pieces that they are made of.
#include <posenc/backward.h>

#include "bindings/c/edge.h"

using namespace posenc;

struct posenc_stage {
  InputStage stage;
};
struct posenc_backward {
  Backward backward;
};

namespace {

Scale scale(const posenc_stage_options& from) {
  Scale own = {c::enumerator<Scale::Kind>(from.scale), 1, {}};
  if (from.scale == POSENC_SCALE_NUMBER) own.number = from.scale_number;
  if (from.scale_rounding != 0) own.rounding = c::enumerator<DType>(from.scale_rounding);
  return own;
}

StageOptions stage_options(const char* operation, const posenc_convention* convention,
                           const posenc_stage_options* options) {
  const posenc_stage_options from = c::sized(operation, "options", options);
  if (from.has_padding > 1) {
    c::refuse(operation, "options.has_padding must be 0 or 1", std::to_string(from.has_padding));
  }
  StageOptions own = {.scale = scale(from), .dropout = from.dropout, .seed = from.seed};
  if (from.has_padding == 1) own.padding_id = from.padding_id;
  own.recipe = c::recipe(operation, convention, from.recipe);
  own.context = c::context(operation, from.context);
  return own;
}

EncodeOptions encode_options(const char* operation, const posenc_encode_options* options) {
  if (options == nullptr) return {};
  const posenc_encode_options from = c::sized(operation, "options", options);
  const c::Run by = c::run(operation, from.run);
  return {.mode = c::enumerator<StageMode>(from.mode),
          .call = from.call,
          .first = from.first,
          .executor = by.executor,
          .reading = by.reading};
}

}  // namespace

posenc_status posenc_stage_new(const posenc_view* rows, const posenc_convention* convention, const posenc_view* table,
                               const posenc_stage_options* options, posenc_stage** out, posenc_error* error) {
  constexpr const char* operation = "posenc_stage_new";
  return c::made(operation, out, error, [&] {
    if ((convention == nullptr) == (table == nullptr)) {
      c::refuse(operation, "a convention or a table must be given", convention == nullptr ? "neither" : "both");
    }
    const ConstView embedding = c::view(operation, "rows", rows);
    const StageOptions own = stage_options(operation, convention, options);
    if (convention != nullptr) return InputStage(embedding, convention->value, own);
    return InputStage(embedding, ConstView(c::view(operation, "table", table)), own);
  });
}

void posenc_stage_free(posenc_stage* stage) { delete stage; }

double posenc_stage_factor(const posenc_stage* stage) { return stage == nullptr ? 0 : stage->stage.factor(); }

posenc_status posenc_stage_encode(const posenc_stage* stage, const posenc_view* ids, const posenc_positions* positions,
                                  const posenc_view* out, const posenc_encode_options* options, posenc_error* error) {
  constexpr const char* operation = "posenc_stage_encode";
  return c::call(operation, error, [&] {
    c::given(operation, "stage", stage)
        .stage.encode(c::view(operation, "ids", ids), c::positions(operation, "positions", positions),
                      c::view(operation, "out", out), encode_options(operation, options));
  });
}

posenc_status posenc_backward_new(const posenc_stage* stage, const posenc_view* ids, posenc_backward** out,
                                  posenc_error* error) {
  constexpr const char* operation = "posenc_backward_new";
  return c::made(operation, out, error,
                 [&] { return Backward(c::given(operation, "stage", stage).stage, c::view(operation, "ids", ids)); });
}

void posenc_backward_free(posenc_backward* backward) { delete backward; }

posenc_status posenc_backward_touched(const posenc_backward* backward, const int64_t** ids, size_t* count,
                                      posenc_error* error) {
  constexpr const char* operation = "posenc_backward_touched";
  return c::call(operation, error, [&] {
    const auto touched = c::given(operation, "backward", backward).backward.touched();
    size_t& number = c::given(operation, "count", count);
    c::given(operation, "ids", ids) = touched.data();
    number = touched.size();
  });
}

posenc_status posenc_backward_write(const posenc_backward* backward, const posenc_view* grad_out,
                                    const posenc_view* grad_rows, const posenc_encode_options* options,
                                    posenc_error* error) {
  constexpr const char* operation = "posenc_backward_write";
  return c::call(operation, error, [&] {
    c::given(operation, "backward", backward)
        .backward.write(c::view(operation, "grad_out", grad_out), c::view(operation, "grad_rows", grad_rows),
                        encode_options(operation, options));
  });
}

posenc_status posenc_backward_write_touched(const posenc_backward* backward, const posenc_view* grad_out,
                                            const posenc_view* grad_rows, const posenc_encode_options* options,
                                            posenc_error* error) {
  constexpr const char* operation = "posenc_backward_write_touched";
  return c::call(operation, error, [&] {
    c::given(operation, "backward", backward)
        .backward.write_touched(c::view(operation, "grad_out", grad_out), c::view(operation, "grad_rows", grad_rows),
                                encode_options(operation, options));
  });
}

posenc_status posenc_dropout(const posenc_view* in, const posenc_view* out, double p, uint64_t seed, uint32_t call,
                             uint32_t first, posenc_error* error) {
  constexpr const char* operation = "posenc_dropout";
  return c::call(operation, error, [&] {
    dropout(c::view(operation, "in", in), c::view(operation, "out", out), p, {seed, call, first});
  });
}

posenc_status posenc_lookup(const posenc_view* rows, const int64_t* padding_id, const posenc_view* ids,
                            const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_lookup";
  return c::call(operation, error, [&] {
    Embedding embedding = {c::view(operation, "rows", rows)};
    if (padding_id != nullptr) embedding.padding_id = *padding_id;
    embedding.lookup(c::view(operation, "ids", ids), c::view(operation, "out", out));
  });
}

posenc_status posenc_seeded_rows(const posenc_view* out, uint64_t seed, uint64_t stream, uint32_t init,
                                 posenc_error* error) {
  constexpr const char* operation = "posenc_seeded_rows";
  return c::call(operation, error,
                 [&] { seeded_rows(c::view(operation, "out", out), seed, stream, c::enumerator<RowInit>(init)); });
}
