// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the shortest digits of an f32, its bits, positions of any size.

const view = new DataView(new ArrayBuffer(8));

/** The fewest digits that are this f32 and no other. */
export function f32_text(value: number): string {
  for (let digits = 1; digits < 9; ++digits) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return plain(text);
  }
  return plain(value.toPrecision(9));
}

function plain(text: string): string {
  return (Object.is(Number(text), -0) ? '-0' : String(Number(text))).replace('-', '−');
}

/** The 32 bits of an f32, in hexadecimal. */
export function f32_bits(value: number): string {
  view.setFloat32(0, value);
  return `0x${view.getUint32(0).toString(16).padStart(8, '0')}`;
}

/** A number for reading: some digits, thousands apart. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : value < 0 ? '−∞' : '—';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return power(value, digits);
  return value
    .toLocaleString('en', {
      maximumSignificantDigits: size >= 10 ** digits ? Math.floor(Math.log10(size)) + 1 : digits,
    })
    .replace('-', '−');
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const exponent_text = (exponent: number): string =>
  `10${String(exponent)
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => raised[Number(digit)] ?? '')}`;
/** 1.23 × 10⁻⁷ */
function power(value: number, digits: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const front = String(Number(mantissa)).replace('-', '−');
  return front === '1' ? exponent_text(Number(exponent)) : `${front} × ${exponent_text(Number(exponent))}`;
}
/** 0.01 to 1,000, then 10⁴. */
export function power_of_ten(value: number): string {
  const exponent = Math.round(Math.log10(value));
  return exponent >= -2 && exponent <= 3 ? short(value) : exponent_text(exponent);
}

/** Thousands apart. */
export function grouped(value: bigint | number): string {
  return value.toLocaleString('en').replace('-', '−');
}

export const least_position = -(2n ** 63n);
export const most_position = 2n ** 63n - 1n;

/** A whole number of 64 bits; undefined where the text is not one. */
export function parse_position(text: string): bigint | undefined {
  const bare = text
    .trim()
    .replace(/[,_\s]/g, '')
    .replace('−', '-');
  if (!/^-?\d{1,40}$/.test(bare)) return undefined;
  const value = BigInt(bare);
  return value < least_position || value > most_position ? undefined : value;
}

/** A position as the module takes it: a number where that is exact. */
export function whole(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Round numbers from `least` to `most`, about `count` of them. */
export function ticks(least: number, most: number, count: number): number[] {
  const rough = (most - least) / Math.max(1, count);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * size >= rough) ?? 10) * size;
  const found: number[] = [];
  for (let at = Math.ceil(least / step - 1e-9) * step; at <= most + step * 1e-9; at += step)
    found.push(Number(at.toPrecision(12)));
  return found;
}

/** Powers of ten from `least` to `most`, every `stride`-th. */
export function powers(least: number, most: number, count: number): number[] {
  const first = Math.ceil(Math.log10(least) - 1e-9);
  const last = Math.floor(Math.log10(most) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, i) => 10 ** (first + i * stride));
}
