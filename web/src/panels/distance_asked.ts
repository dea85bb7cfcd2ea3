// SPDX-License-Identifier: Apache-2.0
// What the panel of distances shows, and how to make it elsewhere.
import { pairs, seed } from '../engine/random.js';
import { range_text, type Ways } from '../parts/make.js';

export const width = 128; // of models and heads
export const heads = 8;

export interface Asked {
  position: bigint;
  /** Distances that are shown, and those of them that there are from the position on. */
  reach: number;
  reached: number;
  shift: number;
  slopes: string;
  buckets: string;
  vectors: 'same' | 'random';
}
/** Scores of rope-half, as they are drawn. */
function scores_lines(position: bigint, count: number, vectors: Asked['vectors']): string {
  const positions = `range(${position}, ${position + BigInt(count)})`;
  return vectors === 'same'
    ? `keys = posenc.rotate("rope-half", ${positions}, np.ones((${count}, ${width}), np.float32))\nscores = keys.astype(float) @ keys[0] / ${width}`
    : `queries, keys = [posenc.seeded_rows(${pairs}, ${width}, seed=${seed}, init="normal", stream=each) for each in (0, 1)]
queries = posenc.rotate("rope-half", [${position}], queries[:, None], side="query").astype(float)
keys = posenc.rotate("rope-half", ${positions}, np.repeat(keys[:, None], ${count}, axis=1), side="key")
scores = (keys * queries).sum(axis=2).mean(axis=0) / ${width}`;
}

export function ways_of({ position, reach, reached, shift, slopes, buckets, vectors }: Asked): Ways {
  const count = reached + 1;
  const end = position + BigInt(count);
  return {
    command: `posenc table --preset transformer --dim ${width} --positions ${range_text(position, count)} --out rows.npy\nposenc bias --preset ${slopes} --heads ${heads} --queries ${reach}:${reach + 1} --keys 0:${reach + 1} --out biases.npy\nposenc bias --preset ${buckets} --queries ${reach}:${reach + 1} --keys 0:${reach + 1} --out classes.npy`,
    cpp: `#include <posenc/bias.h>\n#include <posenc/preset.h>\n#include <posenc/rotary.h>\n\nstd::vector<float> keys(${count} * ${width}, 1.0f);  // the same vector at every distance\nconst posenc::View view = posenc::view(keys.data(), {${count}, ${width}});\nposenc::rotary(posenc::preset("rope-half").convention, posenc::Positions::range(${position}, ${count}), view, view);`,
    python: `import numpy as np, posenc\n\nrows = posenc.table("transformer", ${width}, range(${position}, ${end}))\nproducts = rows.astype(float) @ rows[0]\n${scores_lines(position, count, vectors)}\nbias = posenc.bias("${slopes}", ${heads}, [${reach}], range(${reach + 1}))\nturn = posenc.table("transformer", ${width}, [${shift}])  # sine and cosine of k w: the rotation T(k)\nsine, cosine = turn[0, 0::2], turn[0, 1::2]\nturned = cosine * rows[0, 0::2] + sine * rows[0, 1::2], cosine * rows[0, 1::2] - sine * rows[0, 0::2]  # T(k) PE(p)`,
  };
}
