// SPDX-License-Identifier: Apache-2.0
// Texts to tensors, stage by stage, and one head of attention over them.
import { must, type Posenc, type Tensor } from 'posenc';
import { Kept, convention_of, module } from './files.js';
import { ids_of, vocabulary, width, type Vocabulary } from './vocabulary.js';

export const most_tokens = 48;

export interface TextAsked {
  texts: string[];
  scaled: boolean;
  dropout: number;
  train: boolean;
  seed: number;
  /** Columns of the head. */
  columns: number;
}
export interface Encoded {
  /** What was encoded, and its tokens. */
  text: string;
  tokens: { id: number; original: number; bytes: Uint8Array }[];
  /** There are more. */
  cut: boolean;
  /** Lengths of the rows, after each stage. */
  norms: Record<'row' | 'scaled' | 'signal' | 'out', number[]>;
  /** What the first block reads: [tokens, 512]. */
  out: Float32Array;
  /** Entries that the mask made 0. */
  dropped: number;
  /** Who attends to whom, [tokens, tokens], without positions and with them. */
  without: Float32Array;
  with: Float32Array;
}

const zeros = new Kept<Tensor<'f32'>>(1);

function stages_of(posenc: Posenc, rows: Tensor<'f32'>, { scaled, dropout, train, seed }: TextAsked) {
  const none = zeros.get('', () => must(posenc.tensor('f32', [most_tokens, width])));
  const paper = convention_of(posenc, { preset: 'transformer' });
  const scale = scaled ? ('sqrtDim' as const) : ('none' as const);
  return {
    row: must(posenc.stage(rows, { table: none })),
    scaled: must(posenc.stage(rows, { table: none, scale })),
    sum: must(posenc.stage(rows, { convention: paper, scale })),
    out: must(posenc.stage(rows, { convention: paper, scale, dropout: train ? dropout : 0, seed })),
  };
}

function norms_of(posenc: Posenc, tensor: Tensor<'f32'>): number[] {
  const products = must(posenc.products(tensor, tensor));
  const [count = 0] = tensor.shape;
  const squares = Array.from({ length: count }, (_, i) => products.data[i * count + i] as number);
  products.free();
  return squares.map(Math.sqrt);
}

/** The first columns of every row are query and key: a head without trained projections. */
function weights_of(posenc: Posenc, tensor: Tensor<'f32'>, columns: number): Float32Array {
  const [count = 0] = tensor.shape;
  const head = must(posenc.tensor('f32', [1, 1, count, columns]));
  for (let i = 0; i < count; ++i) head.data.set(tensor.data.subarray(i * width, i * width + columns), i * columns);
  const weights = must(posenc.attentionWeights(head, head));
  const copy = weights.data.slice();
  weights.free();
  head.free();
  return copy;
}

/** The text's first tokens, at most most_tokens, and the part of the text that has just these: a token may cut a
 *  character, and the end of a part may have other tokens than the middle of the text. */
function shown_of(known: Vocabulary, text: string): { ids: number[]; part: string; cut: boolean } {
  const all = ids_of(known, text, most_tokens + 1);
  if (all.length <= most_tokens) return { ids: all, part: text, cut: false };
  for (let count = most_tokens; count > 0; --count) {
    const ids = all.slice(0, count);
    const bytes = ids.flatMap((id) => Array.from(known.tokens[id] as Uint8Array));
    const part = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
    if (String(ids_of(known, part, most_tokens + 1)) === String(ids)) return { ids, part, cut: true };
  }
  throw new Error(`no beginning of the text has at most ${most_tokens} tokens of its own`);
}

function encoded(posenc: Posenc, known: Vocabulary, text: string, asked: TextAsked): Encoded {
  const { ids, part, cut } = shown_of(known, text);
  const list = must(posenc.tensor('i32', [ids.length], ids));
  const positions = { count: ids.length };
  const stages = stages_of(posenc, known.rows, asked);
  const signal = must(posenc.table(convention_of(posenc, { preset: 'transformer' }), width, positions));
  const made = {
    row: must(stages.row.encode(list, positions)),
    scaled: must(stages.scaled.encode(list, positions)),
    signal,
    sum: must(stages.sum.encode(list, positions)),
    out: must(stages.out.encode(list, positions, { mode: asked.train ? 'train' : 'evaluate' })),
  };
  const answer: Encoded = {
    text: part,
    tokens: ids.map((id) => ({
      id,
      original: known.originals[id] as number,
      bytes: (known.tokens[id] as Uint8Array).slice(),
    })),
    cut,
    norms: {
      row: norms_of(posenc, made.row),
      scaled: norms_of(posenc, made.scaled),
      signal: norms_of(posenc, made.signal),
      out: norms_of(posenc, made.out),
    },
    out: made.out.data.slice(),
    dropped: made.out.data.reduce((count, value, i) => count + Number(value === 0 && made.sum.data[i] !== 0), 0),
    without: weights_of(posenc, made.scaled, asked.columns),
    with: weights_of(posenc, made.sum, asked.columns),
  };
  for (const each of [list, ...Object.values(made), ...Object.values(stages)]) each.free();
  return answer;
}

export async function encode(asked: TextAsked): Promise<Encoded[]> {
  const [posenc, known] = await Promise.all([module(), vocabulary()]);
  return asked.texts.map((text) => encoded(posenc, known, text, asked));
}
