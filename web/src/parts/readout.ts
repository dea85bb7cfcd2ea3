// SPDX-License-Identifier: Apache-2.0
// A few numbers with their names, of the place that is pointed at or marked.
import { html } from './dom.js';

export interface Readout {
  element: HTMLElement;
  show: (values: string[]) => void;
}

export function readout(names: string[]): Readout {
  const values = names.map(() => html('dd', { class: 'number' }, '—'));
  return {
    element: html(
      'dl',
      { class: 'readout' },
      ...names.map((name, i) => html('div', {}, html('dt', {}, name), values[i] as HTMLElement)),
    ),
    show: (texts) =>
      values.forEach((value, i) => {
        value.textContent = texts[i] ?? '—';
      }),
  };
}
