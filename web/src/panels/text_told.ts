// SPDX-License-Identifier: Apache-2.0
// What the panel of texts says of tokens, and of how two texts and their weights differ.
import type { Encoded } from '../engine/text.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A token as text; its bytes where it cuts a character. */
export function token_text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes).replace(/ /g, '␣').replace(/\n/g, '⏎').replace(/\t/g, '⇥');
  } catch {
    return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
  }
}

const ids_of = ({ tokens }: Encoded): number[] => tokens.map(({ id }) => id);

/** Whether two texts are the same tokens, in one order or in two. */
export function relation_of(a: Encoded, b: Encoded): 'same' | 'orders' | 'others' {
  const [first, second] = [ids_of(a), ids_of(b)];
  const sorted = (ids: number[]): string => String(ids.sort((x, y) => x - y));
  if (String(first) === String(second)) return 'same';
  return sorted(first) === sorted(second) ? 'orders' : 'others';
}

/** Of all pairs of tokens that both texts have once, how far their weights are apart; nothing where there are none. */
export function furthest(a: Encoded, b: Encoded, part: 'without' | 'with'): number | undefined {
  const place = (of: Encoded, id: number): number => ids_of(of).indexOf(id);
  const once = (of: Encoded, id: number): boolean => ids_of(of).filter((each) => each === id).length === 1;
  const shared = ids_of(a).filter((id) => once(a, id) && once(b, id));
  if (shared.length === 0) return undefined;
  const weight = (of: Encoded, q: number, k: number): number =>
    of[part][place(of, q) * of.tokens.length + place(of, k)] ?? 0;
  return Math.max(...shared.flatMap((q) => shared.map((k) => Math.abs(weight(a, q, k) - weight(b, q, k)))));
}

/** The second text's tokens in the order that they have in the first: shared ones come first, the k-th of a token for its
 *  k-th, each with its place there; the others follow as they stand. */
export function aligned(a: Encoded, b: Encoded): { places: number[]; partners: number[] } {
  const left = ids_of(b).map((id, place) => ({ id, place }));
  const places: number[] = [];
  const partners: number[] = [];
  for (const [partner, id] of ids_of(a).entries()) {
    const found = left.findIndex((each) => each.id === id);
    if (found < 0) continue;
    places.push(...left.splice(found, 1).map(({ place }) => place));
    partners.push(partner);
  }
  return { places: [...places, ...left.map(({ place }) => place)], partners };
}

/** A square of weights with its rows and columns in another order. */
export function in_order(values: Float32Array, places: readonly number[]): Float32Array {
  const count = places.length;
  return Float32Array.from(values, (_, i) => {
    const [row = 0, column = 0] = [places[Math.floor(i / count)], places[i % count]];
    return values[row * count + column] ?? 0;
  });
}

/** Tables show four decimals, and eyes tell a hundredth of white from brown: what is closer looks the same. */
const visible_difference = 0.005;

/** Cells of `b`, of tokens that `a` has too, whose weights differ. */
export function differing(a: Float32Array, b: Float32Array, { places, partners }: ReturnType<typeof aligned>): number[] {
  const columns = Math.sqrt(a.length);
  const differs = (row: number, column: number): boolean => {
    const own = a[(partners[row] ?? 0) * columns + (partners[column] ?? 0)] ?? 0;
    return Math.abs((b[row * places.length + column] ?? 0) - own) > visible_difference;
  };
  const shared = partners.map((_, i) => i);
  return shared.flatMap((row) =>
    shared.filter((column) => differs(row, column)).map((column) => row * places.length + column),
  );
}

/** Who attends most to whom, and by how much. */
export function strongest(values: Float32Array, name: (index: number) => string): [string, string, string] {
  const count = Math.sqrt(values.length);
  const at = values.indexOf(values.reduce((a, b) => Math.max(a, b), 0));
  return [name(Math.floor(at / count)), name(at % count), (values[at] ?? 0).toFixed(3)];
}
