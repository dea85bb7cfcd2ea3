// SPDX-License-Identifier: Apache-2.0
// The cursor that all panels share: a position, the dimension of a row, and the token that stands there.
import { html, new_id, set } from './parts/dom.js';
import { text_field } from './parts/field.js';
import { grouped, parse_position } from './parts/numbers.js';
import type { Shared } from './panels/panel.js';
import type { Name, State } from './state.js';

// The slider counts one by one as far as tables are shown, then in equal ratios.
const steps = 1024;
const linear = 512;
const farthest = 1e9;

const position_at = (step: number): number =>
  step <= linear ? step : Math.round(linear * (farthest / linear) ** ((step - linear) / (steps - linear)));
function step_of(position: number): number {
  if (position <= linear) return Math.max(0, position);
  return Math.min(steps, linear + ((steps - linear) * Math.log(position / linear)) / Math.log(farthest / linear));
}

/** The position of the cursor; 0 where what the address has is no position. */
export const position_of = (state: State, name: Name = 'p'): bigint => parse_position(state.get(name)) ?? 0n;
export const dimension_of = (state: State): number => (/^\d{1,4}$/.test(state.get('i')) ? Number(state.get('i')) : 0);

/** A slider over positions, up to 10^9, and a field for any. */
export function position_dial({ state, words }: Shared, name: Name, label: string): HTMLElement {
  const range = html('input', { type: 'range', min: 0, max: steps, step: 1, 'aria-label': label });
  range.addEventListener('input', () => state.set({ [name]: String(position_at(Number(range.value))) }, 'pass'));
  const show = (): void => {
    const position = position_of(state, name);
    range.value = String(step_of(Number(position)));
    set(range, { 'aria-valuetext': grouped(position) });
  };
  show();
  state.on([name], show);
  const field = text_field(state, {
    name,
    label,
    width: 14,
    rule: (text) => (parse_position(text) === undefined ? words.cursor.positionWrong : undefined),
  });
  return dial(range, field, (by) => state.set({ [name]: String(position_of(state, name) + BigInt(by)) }, 'pass'));
}

function dial(range: HTMLElement, field: HTMLElement, move: (by: number) => void): HTMLElement {
  const [label, input, said] = field.children;
  input?.addEventListener('keydown', (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[(event as KeyboardEvent).key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  });
  return html('div', { class: 'dial' }, label, range, input, said);
}

function dimension_dial({ state, words }: Shared): HTMLElement {
  const range = html('input', { type: 'range', min: 0, max: 511, step: 1, 'aria-label': words.cursor.dimension });
  range.addEventListener('input', () => state.set({ i: range.value }, 'pass'));
  const show = (): void => {
    range.value = String(dimension_of(state));
  };
  show();
  state.on(['i'], show);
  const right = (text: string): boolean => /^\d{1,4}$/.test(text) && Number(text) < 4096;
  const field = text_field(state, {
    name: 'i',
    label: words.cursor.dimension,
    width: 5,
    rule: (text) => (right(text) ? undefined : words.cursor.dimensionWrong),
  });
  return dial(range, field, (by) =>
    state.set({ i: String(Math.max(0, Math.min(4095, dimension_of(state) + by))) }, 'pass'),
  );
}

export function cursor_bar(shared: Shared): HTMLElement {
  const { state, words, here } = shared;
  const told = html('p', { class: 'told', id: new_id() });
  const show = (): void => {
    told.textContent = words.cursor.told(here.token, grouped(position_of(state)), String(dimension_of(state)));
  };
  here.changed = show;
  show();
  state.on(['p', 'i'], show);
  return html('div', {}, position_dial(shared, 'p', words.cursor.position), dimension_dial(shared), told);
}
