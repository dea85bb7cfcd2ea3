// SPDX-License-Identifier: Apache-2.0
// "Make this with": the command, the C++ and the Python that give a panel's numbers.
import { html } from './dom.js';
import { most_position } from './numbers.js';
import type { Words } from '../words/words.js';

export interface Ways {
  command: string;
  cpp: string;
  python: string;
}

export class Make {
  readonly element: HTMLElement;
  #codes: Record<keyof Ways, HTMLElement>;

  constructor({ make }: Words) {
    const code = (): HTMLElement => html('code', { translate: 'no' });
    this.#codes = { command: code(), cpp: code(), python: code() };
    const part = (name: string, of: HTMLElement): HTMLElement => {
      const copy = html(
        'button',
        {
          type: 'button',
          'aria-label': `${make.copy}: ${name}`,
          onclick: async () => {
            await navigator.clipboard.writeText(of.textContent ?? '').then(
              () => {
                copy.textContent = make.copied;
              },
              () => getSelection()?.selectAllChildren(of),
            );
            setTimeout(() => {
              copy.textContent = make.copy;
            }, 1500);
          },
        },
        make.copy,
      );
      return html(
        'div',
        {},
        html('p', {}, name, copy),
        html('pre', { tabindex: 0, role: 'group', 'aria-label': name }, of),
      );
    };
    this.element = html(
      'details',
      { class: 'make' },
      html('summary', {}, make.title),
      part(make.shell, this.#codes.command),
      part('C++', this.#codes.cpp),
      part('Python', this.#codes.python),
    );
  }
  show(ways: Ways): void {
    for (const name of Object.keys(this.#codes) as (keyof Ways)[]) this.#codes[name].textContent = ways[name];
  }
}

/** Positions as the tool takes them: the one behind the last may be none. */
export const range_text = (first: bigint, count: number): string =>
  count === 1 && first === most_position ? String(first) : `${first}:${first + BigInt(count)}`;
/** As a shell takes a word. */
export const quoted = (text: string): string =>
  /^[\w.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
/** As C++ and Python take a text. */
export const literal = (text: string): string => JSON.stringify(text);
