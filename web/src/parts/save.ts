// SPDX-License-Identifier: Apache-2.0
// Files that the page hands out: pictures as PNG and SVG, tensors as .npy.
import { html } from './dom.js';
import type { Figure } from './figure.js';

export interface Saved {
  data: Float32Array | Int32Array;
  shape: number[];
}

/** Version 1.0 of NumPy's format, little-endian and row-major. */
export function npy({ data, shape }: Saved): Blob {
  const type = data instanceof Float32Array ? '<f4' : '<i4';
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': (${tuple}), }`;
  const before = 10;
  const padded = Math.ceil((before + text.length + 1) / 64) * 64 - before;
  const header = new Uint8Array(before + padded).fill(0x20);
  header.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded & 255, padded >> 8]);
  header.set(new TextEncoder().encode(text), before);
  header[header.length - 1] = 0x0a;
  return new Blob([header, new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength)]);
}

export function hand_out(blob: Blob, name: string): void {
  const link = html('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Buttons beside a picture; `tensor` is what it was drawn from. */
export function save_buttons(
  word: string,
  name: string,
  figure: Figure,
  tensor?: () => Saved | undefined,
): HTMLElement {
  const button = (text: string, act: () => void | Promise<void>): HTMLElement =>
    html(
      'button',
      { type: 'button', 'aria-label': `${word} ${name}.${text.toLowerCase()}`, onclick: () => void act() },
      text,
    );
  return html(
    'p',
    { class: 'save' },
    html('span', { 'aria-hidden': 'true' }, word),
    button('PNG', async () => hand_out(await figure.png(), `${name}.png`)),
    button('SVG', () => hand_out(new Blob([figure.svg_text()], { type: 'image/svg+xml' }), `${name}.svg`)),
    tensor !== undefined &&
      button('npy', () => {
        const saved = tensor();
        if (saved !== undefined) hand_out(npy(saved), `${name}.npy`);
      }),
  );
}
