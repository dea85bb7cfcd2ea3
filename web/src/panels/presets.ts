// SPDX-License-Identifier: Apache-2.0
// Conventions to choose from, which are known once the module is there.
import type { About } from '../engine/about.js';
import { html, new_id } from '../parts/dom.js';
import { choice_field, type Choice } from '../parts/field.js';
import type { Name } from '../state.js';
import type { Shared } from './panel.js';

/** Those that are added to rows, and those that turn queries and keys. */
export const added_and_rotated =
  ({ words: { signal } }: Shared) =>
  ({ added, rotated }: About): Choice[] => [
    ...added.map((value) => ({ value, label: value, group: signal.added })),
    ...rotated.map((value) => ({ value, label: value, group: signal.rotated })),
  ];
/** And biases. */
export const added_rotated_and_biases =
  (shared: Shared) =>
  (about: About): Choice[] => [
    ...added_and_rotated(shared)(about),
    ...about.biases.map((value) => ({ value, label: value, group: shared.words.presets.biases })),
  ];

/** The names and the aliases of `choices` to search among; what is found becomes the state's. */
function search_field({ state, words }: Shared, name: Name, label: string, choices: Choice[], { aliases }: About) {
  const own = words.presets;
  const known = new Map<string, string>();
  for (const [preset, others] of Object.entries(aliases))
    for (const each of [preset, ...others]) known.set(each, preset);
  const here = new Set(choices.map(({ value }) => value));
  const list = html(
    'datalist',
    { id: new_id() },
    ...[...known]
      .filter(([, preset]) => here.has(preset))
      .map(([each, preset]) => html('option', { value: each }, each === preset ? '' : preset)),
  );
  const said = html('p', { class: 'wrong', id: new_id(), role: 'status' });
  const input = html('input', {
    type: 'text',
    size: 14,
    id: new_id(),
    list: list.id,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': `${label}: ${own.search}`,
    'aria-describedby': said.id,
  });
  const find = (): void => {
    const text = input.value.trim().toLowerCase();
    const preset = known.get(text);
    const found = preset !== undefined && here.has(preset);
    said.textContent =
      text === '' || found ? '' : preset === undefined ? own.unknown(text) : own.elsewhere(text, preset);
    if (found) state.set({ [name]: preset });
  };
  input.addEventListener('change', find);
  input.addEventListener('input', (event) => {
    const chosen = (event as InputEvent).inputType;
    if (chosen === undefined || chosen === 'insertReplacementText') find(); // from the list, not typed
  });
  return html('div', { class: 'field' }, html('label', { for: input.id }, own.search), input, list, said);
}

/** A field whose choices come later; until then it has what the state says. */
export function preset_field(
  shared: Shared,
  name: Name,
  label: string,
  choices: (about: About) => Choice[],
): HTMLElement {
  const place = html('div', { class: 'preset' }, choice_field(shared.state, { name, label, choices: [] }));
  void shared
    .about()
    .then((about) => {
      const listed = choices(about);
      place.replaceChildren(
        choice_field(shared.state, { name, label, choices: listed }),
        search_field(shared, name, label, listed, about),
      );
    })
    .catch(() => {}); // the footer says what is wrong
  return place;
}
