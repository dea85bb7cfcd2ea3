// SPDX-License-Identifier: Apache-2.0
// A place for files: dropped on it, or chosen. What they hold stays here.
import { html } from './dom.js';

/** Keeps the browser from opening a file that is dropped beside the place. */
export function keep_page(): void {
  for (const kind of ['dragover', 'drop']) window.addEventListener(kind, (event) => event.preventDefault());
}

export function drop_place(
  words: { drop: string; choose: string },
  accept: string,
  take: (file: File) => void,
): HTMLElement {
  const input = html('input', {
    type: 'file',
    accept,
    'aria-label': words.choose,
    onchange: () => {
      const [file] = input.files ?? [];
      if (file !== undefined) take(file);
      input.value = ''; // the same file may be chosen again
    },
  });
  const place: HTMLElement = html(
    'div',
    {
      class: 'drop',
      ondragover: (event: DragEvent) => {
        event.preventDefault();
        place.classList.add('over');
      },
      ondragleave: () => place.classList.remove('over'),
      ondrop: (event: DragEvent) => {
        event.preventDefault();
        place.classList.remove('over');
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) take(file);
      },
    },
    html('p', {}, words.drop),
    input,
  );
  return place;
}
