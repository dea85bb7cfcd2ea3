// SPDX-License-Identifier: Apache-2.0
// Conventions to choose from, which are known once the module is there.
import type { About } from '../engine/about.js';
import { html } from '../parts/dom.js';
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

/** A field whose choices come later; until then it has what the state says. */
export function preset_field(
  shared: Shared,
  name: Name,
  label: string,
  choices: (about: About) => Choice[],
): HTMLElement {
  const place = html('div', {}, choice_field(shared.state, { name, label, choices: [] }));
  void shared.engine
    .ask('about')
    .then((about) => place.replaceChildren(choice_field(shared.state, { name, label, choices: choices(about) })))
    .catch(() => {}); // the footer says what is wrong
  return place;
}
