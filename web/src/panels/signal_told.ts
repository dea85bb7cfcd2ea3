// SPDX-License-Identifier: Apache-2.0
// What the panel of the signal says of the scaling that is shown: which fields were replaced, and which were kept.
import type { About } from '../engine/about.js';
import type { Asked } from '../engine/signal.js';
import { short } from '../parts/numbers.js';
import type { State } from '../state.js';
import type { Words } from '../words/words.js';
import { longrope, shown_fields } from './signal_asked.js';

const same = (a: string | number | undefined, b: string | number | undefined): boolean =>
  String(a) === String(b) || (a !== '' && Number(a) === Number(b));

export function scaling_told(
  { signal }: Words,
  state: State,
  { preset, changes = {} }: Asked,
  { scalings }: About,
  magnitude: number | undefined,
): string {
  const factor = magnitude === undefined ? '' : ` ${signal.magnitude(short(magnitude, 6))}`;
  if (preset === longrope.preset) return signal.replaced(state.get('preset'), state.get('d')) + factor;
  const own = scalings[preset] ?? {};
  const fields = Object.entries(shown_fields(own, changes));
  const list = (some: typeof fields): string => some.map(([path, value]) => `${path} ${value}`).join(', ');
  const kept = list(fields.filter(([path, value]) => same(own[path], value)));
  const changed = fields
    .filter(([path, value]) => !same(own[path], value))
    .map(([path, value]) => signal.fieldChanged(path, String(value), own[path]?.toString()));
  return (
    (changed.length === 0 ? signal.asItIs(preset, kept) : signal.changed(preset, changed.join(', '), kept)) + factor
  );
}
