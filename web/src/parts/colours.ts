// SPDX-License-Identifier: Apache-2.0
// The colours of the tool's pictures: blue through white, which is zero, to orange; and Okabe and Ito's for curves. Both
// are apart for every common kind of colour blindness.

const stops = [
  [5, 33, 92],
  [33, 102, 179],
  [143, 196, 232],
  [250, 250, 247],
  [252, 196, 117],
  [224, 115, 18],
  [115, 48, 3],
];

/** 257 colours, little-endian RGBA; 128 is zero. */
const ramp = Uint32Array.from({ length: 257 }, (_, i) => {
  const at = (i / 256) * (stops.length - 1);
  const below = Math.min(Math.floor(at), stops.length - 2);
  const t = at - below;
  const [r = 0, g = 0, b = 0] = (stops[below] ?? []).map((from, part) =>
    Math.round(from + t * ((stops[below + 1]?.[part] ?? 0) - from)),
  );
  return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
});
const no_number = 0xff808080;

function index_of(value: number, limit: number): number {
  const at = Math.round((value / limit + 1) * 128);
  return at < 0 ? 0 : at > 256 ? 256 : at;
}

/** Which values have which colours: `white` is the middle, and `most` the last orange. */
export interface Range {
  white: number;
  most: number;
}
/** Pixels of values. */
export function paint(values: Float32Array, { white, most }: Range, pixels: Uint32Array): void {
  const scale = 128 / (most - white);
  for (let i = 0; i < pixels.length; ++i) {
    const value = values[i] as number;
    const at = ((value - white) * scale + 128.5) | 0; // no number gives 0
    pixels[i] = value === value ? (ramp[at < 0 ? 0 : at > 256 ? 256 : at] as number) : no_number;
  }
}
/** As SVG has it, of a share from -1 to 1. */
export function colour_of(share: number): string {
  const pixel = ramp[index_of(share, 1)] as number;
  return `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;
}

/** Names of custom properties of page.css, one a curve, each with its own strokes. */
export const curves = [
  { colour: 'var(--curve-1)', dashes: '' },
  { colour: 'var(--curve-2)', dashes: '7 3' },
  { colour: 'var(--curve-3)', dashes: '2 3' },
  { colour: 'var(--curve-4)', dashes: '9 3 2 3' },
  { colour: 'var(--curve-5)', dashes: '12 4' },
  { colour: 'var(--curve-6)', dashes: '4 2' },
  { colour: 'var(--curve-7)', dashes: '1 2' },
];
