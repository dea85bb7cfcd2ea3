// SPDX-License-Identifier: Apache-2.0
// Controls that show a value of the state and change it; each says in place what it refuses.
import { html, new_id, set } from './dom.js';
import type { Name, State } from '../state.js';

interface Field {
  name: Name;
  label: string;
}
/** What is wrong with a text; nothing where it is right. */
type Rule = (text: string) => string | undefined;

const labelled = (label: string, control: HTMLElement, ...more: HTMLElement[]): HTMLElement => {
  control.id ||= new_id();
  return html('div', { class: 'field' }, html('label', { for: control.id }, label), control, ...more);
};

/** A text or a number, checked as it is typed; what is wrong stays out of the state unless it came with the address. */
export function text_field(
  state: State,
  { name, label, rule, width }: Field & { rule: Rule; width?: number },
): HTMLElement {
  const said = html('p', { class: 'wrong', id: new_id(), role: 'status' });
  const input = html('input', {
    type: 'text',
    size: width ?? 8,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': said.id,
  });
  const judge = (): boolean => {
    const wrong = rule(input.value);
    said.textContent = wrong ?? '';
    set(input, { 'aria-invalid': String(wrong !== undefined) });
    return wrong === undefined;
  };
  input.addEventListener('input', () => {
    if (judge()) state.set({ [name]: input.value }, 'pass');
  });
  const show = (): void => {
    if (input.value !== state.get(name)) input.value = state.get(name);
    judge();
  };
  show();
  state.on([name], show);
  state.on_return(show);
  return labelled(label, input, said);
}

/** A whole number with arrows, within limits. */
export function number_field(
  state: State,
  { name, label, least, most, wrong }: Field & { least: number; most: number; wrong: string },
): HTMLElement {
  const rule: Rule = (text) =>
    /^-?\d{1,15}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most ? undefined : wrong;
  const field = text_field(state, { name, label, rule, width: String(most).length + 1 });
  const input = field.querySelector('input') as HTMLInputElement;
  set(input, { inputmode: 'numeric' });
  input.addEventListener('keydown', (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (step === undefined || rule(input.value) !== undefined) return;
    event.preventDefault();
    state.set({ [name]: String(Math.min(most, Math.max(least, Number(input.value) + step))) }, 'pass');
  });
  return field;
}

export interface Choice {
  value: string;
  label: string;
  group?: string;
}

export function choice_field(
  state: State,
  { name, label, choices }: Field & { choices: readonly Choice[] },
): HTMLElement {
  const select = html('select');
  const groups = new Map<string, HTMLElement>();
  for (const { value, label: text, group } of choices) {
    const option = html('option', { value }, text);
    if (group === undefined) {
      select.append(option);
      continue;
    }
    if (!groups.has(group)) {
      groups.set(group, html('optgroup', { label: group }));
      select.append(groups.get(group) as HTMLElement);
    }
    groups.get(group)?.append(option);
  }
  select.addEventListener('change', () => state.set({ [name]: select.value }));
  const show = (): void => {
    const value = state.get(name);
    if (!choices.some((each) => each.value === value)) select.append(html('option', { value }, value));
    select.value = value;
  };
  show();
  state.on([name], show);
  return labelled(label, select);
}

/** On or off. */
export function switch_field(state: State, { name, label }: Field): HTMLElement {
  const box = html('input', { type: 'checkbox', id: new_id() });
  box.addEventListener('change', () => state.set({ [name]: box.checked ? 'on' : 'off' }));
  const show = (): void => {
    box.checked = state.get(name) === 'on';
  };
  show();
  state.on([name], show);
  return html('div', { class: 'field switch' }, box, html('label', { for: box.id }, label));
}

/** One of a few, side by side. */
export function segments(state: State, { name, label, choices }: Field & { choices: readonly Choice[] }): HTMLElement {
  const group = html('fieldset', { class: 'segments' }, html('legend', {}, label));
  const shared = new_id();
  const boxes = choices.map(({ value, label: text }) => {
    const box = html('input', {
      type: 'radio',
      name: shared,
      id: new_id(),
      value,
      onchange: () => state.set({ [name]: value }),
    });
    group.append(box, html('label', { for: box.id }, text));
    return box;
  });
  const show = (): void => {
    for (const box of boxes) box.checked = box.value === state.get(name);
  };
  show();
  state.on([name], show);
  return group;
}
