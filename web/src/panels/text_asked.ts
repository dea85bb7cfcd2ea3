// SPDX-License-Identifier: Apache-2.0
// What the panel of texts asks for, and how to make it elsewhere.
import type { Encoded, TextAsked } from '../engine/text.js';
import { quoted, type Ways } from '../parts/make.js';
import type { State } from '../state.js';

export const most_text = 4096; // characters that are read; what is shown ends after most_tokens of them

export function asked_of(state: State): TextAsked {
  return {
    texts: [state.get('a'), state.get('b')].map((text) => text.slice(0, most_text)),
    scaled: state.get('scale') === 'on',
    dropout: Number(state.get('drop')),
    train: state.get('train') === 'on',
    seed: Number(state.get('seed')),
    columns: Number(state.get('columns')),
  };
}

/** `x` is what the command writes; the pictures of weights are those of `weights`, with positions and without. */
export function ways_of(asked: TextAsked, { text, tokens }: Encoded): Ways {
  const { scaled, train, dropout, seed, columns } = asked;
  const dropped = train ? ` --dropout ${dropout} --seed ${seed}` : '';
  const count = tokens.length;
  const list = tokens.map(({ id }) => id).join(', ');
  const scale = `scale="${scaled ? 'sqrt_dim' : 'none'}"`;
  return {
    command: `posenc encode --text ${quoted(text)}${scaled ? '' : ' --scale none'}${dropped} --out x.npy`,
    cpp: `#include <posenc/input_stage.h>
#include <posenc/preset.h>

const std::vector<std::int32_t> ids = {${list}};  // posenc tokens; rows: [3072, 512] of the same vocabulary
const posenc::InputStage stage(rows, posenc::preset("transformer").convention,
    {.scale = posenc::Scale::${scaled ? 'sqrt_dim' : 'none'}${train ? `, .dropout = ${dropout}, .seed = ${seed}` : ''}});
std::vector<float> x(${count} * 512);
stage.encode(posenc::view(ids.data(), {1, ${count}}), posenc::Positions::range(0, ${count}), posenc::view(x.data(), {1, ${count}, 512})${train ? ', {.mode = posenc::StageMode::train}' : ''});`,
    python: `import numpy as np, posenc

ids = [[${list}]]  # posenc tokens; rows: [3072, 512] of the same vocabulary
stage = posenc.InputStage(rows, "transformer", ${scale}${train ? `, dropout=${dropout}, seed=${seed}` : ''})
x = stage.encode(ids, range(${count})${train ? ', train=True' : ''})

scaled = rows[ids[0]]${scaled ? ' * np.float32(512**0.5)' : ''}
norms = [np.linalg.norm(each.astype(float), axis=1) for each in (rows[ids[0]], scaled, posenc.table("transformer", 512, range(${count})), x[0])]
def weights(of):  # one head of ${columns} columns
    head = of[:, :${columns}].astype(float)
    scores = head @ head.T / ${columns}**0.5
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)
without, placed = weights(scaled), weights(stage.encode(ids, range(${count}))[0])`,
  };
}
