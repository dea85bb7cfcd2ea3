// SPDX-License-Identifier: Apache-2.0
// The tool's own vocabulary, 3,072 tokens of Whisper base, and its byte-level BPE: the ids of `posenc tokens`. The layout
// of the file is in apps/posenc/default/default.h. Letters and numbers are those of the browser's Unicode, the tool's
// those of 15.0: newer characters may be cut elsewhere.
import { must, type Tensor } from 'posenc';
import { file, module } from './files.js';

export const width = 512;
export interface Vocabulary {
  /** [tokens, 512] in the module's memory. */
  rows: Tensor<'f32'>;
  tokens: Uint8Array[];
  /** The ids in Whisper's own vocabulary. */
  originals: Uint32Array;
  /** The rank of a merge, by its pair. */
  ranks: Map<number, number>;
}

const pieces =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
/** Token 256 + r is made by merge r. */
const first_merged = 256;
const pair_of = (left: number, right: number): number => left * 65536 + right;

/** The pair of lowest rank is joined everywhere, until no two neighbours are a merge. */
function join(ids: number[], ranks: ReadonlyMap<number, number>): number[] {
  for (;;) {
    const rank_at = (i: number): number => ranks.get(pair_of(ids[i] as number, ids[i + 1] as number)) ?? Infinity;
    let best = Infinity;
    for (let i = 0; i + 1 < ids.length; ++i) best = Math.min(best, rank_at(i));
    if (best === Infinity) return ids;
    const joined: number[] = [];
    for (let i = 0; i < ids.length; ++i) {
      const is_pair = i + 1 < ids.length && rank_at(i) === best;
      joined.push(is_pair ? first_merged + best : (ids[i] as number));
      if (is_pair) ++i;
    }
    ids = joined;
  }
}

/** The first ids of a text, `most` or as many as there are. */
export function ids_of({ ranks, tokens }: Vocabulary, text: string, most: number): number[] {
  const byte_ids = new Map(tokens.slice(0, first_merged).map((token, id) => [token[0], id]));
  const encoder = new TextEncoder();
  const ids: number[] = [];
  for (const [piece] of text.matchAll(pieces)) {
    ids.push(
      ...join(
        Array.from(encoder.encode(piece), (byte) => byte_ids.get(byte) as number),
        ranks,
      ),
    );
    if (ids.length >= most) break;
  }
  return ids.slice(0, most);
}

async function read(): Promise<Vocabulary> {
  const [posenc, bytes] = await Promise.all([module(), file('vocabulary.gz')]);
  const view = new DataView(bytes);
  let at = 12; // behind the magic and the version
  const words = (count: number): Uint32Array => {
    const list = Uint32Array.from({ length: count }, (_, i) => view.getUint32(at + 4 * i, true));
    at += 4 * count;
    return list;
  };
  const [count = 0, merges = 0] = words(4);
  const originals = words(count);
  const tokens = Array.from(words(count), (length) => {
    const token = new Uint8Array(bytes, at, length);
    at += length;
    return token;
  });
  const pairs = words(2 * merges);
  const ranks = new Map(
    Array.from({ length: merges }, (_, rank) => [
      pair_of(pairs[2 * rank] as number, pairs[2 * rank + 1] as number),
      rank,
    ]),
  );
  const scales = Array.from({ length: count }, (_, row) => view.getFloat32(at + 4 * row, true));
  const entries = new Int8Array(bytes, at + 4 * count, count * width);
  // Assigned as f32: each product is rounded once.
  const rows = must(posenc.tensor('f32', [count, width]));
  rows.data.forEach((_, i, data) => {
    data[i] = (entries[i] as number) * (scales[Math.floor(i / width)] as number);
  });
  return { rows, tokens, originals, ranks };
}

let loaded: Promise<Vocabulary> | undefined;
export function vocabulary(): Promise<Vocabulary> {
  loaded ??= read().catch((error) => {
    loaded = undefined; // the next request tries again
    throw error;
  });
  return loaded;
}
