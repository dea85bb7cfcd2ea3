// SPDX-License-Identifier: Apache-2.0
// The rotation T(k) as a table: cosine and sine of each pair, what T(k) makes of the row at p, and the row at p + k.
import type { Shift } from '../engine/distance.js';
import { html } from '../parts/dom.js';
import { f32_text } from '../parts/numbers.js';
import type { Words } from '../words/words.js';

/** `marked` is the pair of the cursor. */
export function shift_table(own: Words['distance'], k: number, marked: number, { turn, from, to }: Shift): HTMLElement {
  const number = (list: Float32Array, at: number): string => f32_text(list[at] ?? 0);
  const made = (at: number): [number, number] => {
    const [c = 0, s = 0, x = 0, y = 0] = [turn.cosines[at], turn.sines[at], from.sines[at], from.cosines[at]];
    return [c * x + s * y, c * y - s * x];
  };
  return html(
    'table',
    {},
    html(
      'thead',
      {},
      html(
        'tr',
        {},
        ...[
          own.pair,
          `cos ${k}w`,
          `sin ${k}w`,
          'T(k) PE(p): sin',
          'T(k) PE(p): cos',
          'PE(p + k): sin',
          'PE(p + k): cos',
        ].map((text) => html('th', { scope: 'col' }, text)),
      ),
    ),
    html(
      'tbody',
      {},
      ...Array.from({ length: turn.cosines.length }, (_, at) =>
        html(
          'tr',
          { class: at === marked ? 'marked' : '' },
          ...[
            String(at),
            number(turn.cosines, at),
            number(turn.sines, at),
            ...made(at).map((value) => f32_text(Math.fround(value))),
            number(to.sines, at),
            number(to.cosines, at),
          ].map((text) => html('td', {}, text)),
        ),
      ),
    ),
  );
}
