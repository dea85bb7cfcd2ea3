// SPDX-License-Identifier: Apache-2.0
// A small table of words: what is found, line by line; and words of the library, which are English.
import { html } from './dom.js';

/** `head` names the columns; the first cell of a row is what the row is about. */
export function facts(caption: string, head: string[], rows: string[][]): HTMLElement {
  const row = ([first = '', ...rest]: string[]): HTMLElement =>
    html('tr', {}, html('th', { scope: 'row' }, first), ...rest.map((text) => html('td', {}, text)));
  return html(
    'div',
    { class: 'facts', tabindex: 0, role: 'group', 'aria-label': caption },
    html(
      'table',
      {},
      html('caption', {}, caption),
      head.length > 0 && html('thead', {}, html('tr', {}, ...head.map((text) => html('th', { scope: 'col' }, text)))),
      html('tbody', {}, ...rows.map(row)),
    ),
  );
}

/** As the library says it, behind a word that opens it. */
export function raw(word: string, text: string): HTMLElement {
  return html(
    'details',
    { class: 'raw' },
    html('summary', {}, word),
    html('div', { class: 'verdict', lang: 'en', tabindex: 0, role: 'group', 'aria-label': word }, text),
  );
}
