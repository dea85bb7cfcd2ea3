// SPDX-License-Identifier: Apache-2.0
// The frequencies of a convention as pictures: a ladder of periods, and a clock for each pair at a position.
import type { Signal } from '../engine/signal.js';
import type { Chart, Curve } from '../parts/chart.js';
import { shown_pairs, type Clocks } from '../parts/clocks.js';
import { f32_text, grouped, short } from '../parts/numbers.js';
import type { Words } from '../words/words.js';

export interface Ladder {
  /** Radians a token, of each pair; and without scaling. */
  frequencies: Float64Array;
  plain: Float64Array | undefined;
  /** Positions in training, and those of the context that is wanted. */
  length: number;
  longer: number;
  /** The pair of the cursor. */
  marked: number | undefined;
}

export const period_of = (frequency: number): number =>
  frequency === 0 ? Infinity : (2 * Math.PI) / Math.abs(frequency);

/** A scaled frequency is rounded once: what it reaches may be this much more than what training reached. */
const slack = 1 + 2 ** -40;
/** Whether a pair reaches an angle in the longer context that training did not show. Training turns it without scaling,
 *  and shows all angles from one whole turn on. */
function is_unmet({ frequencies, plain = frequencies, length, longer }: Ladder, pair: number): boolean {
  const trained = Math.abs(plain[pair] ?? 0) * length;
  return trained < 2 * Math.PI && Math.abs(frequencies[pair] ?? 0) * longer > trained * slack;
}
const unmet = (ladder: Ladder): number => ladder.frequencies.filter((_, pair) => is_unmet(ladder, pair)).length;
/** Pairs whose step from token to token is more than a hundredth shorter than in training. */
const slower = ({ frequencies, plain }: Ladder): number | undefined =>
  plain && frequencies.filter((each, pair) => Math.abs(each) < 0.99 * Math.abs(plain[pair] ?? 0)).length;

/** `scaling` names the kind that is shown beside the plain ladder. */
export function show_ladder(chart: Chart, words: Words, name: string, scaling: string, ladder: Ladder): void {
  const own = words.signal;
  const { frequencies, plain, length, longer, marked } = ladder;
  const curve = (label: string, list: Float64Array, colour: number): Curve => ({
    name: label,
    colour,
    points: Array.from(list, (frequency, k): [number, number] => [k, period_of(frequency)]),
  });
  const curves = [
    curve(plain === undefined ? name : `${name}, ${own.scalings[scaling] ?? scaling}`, frequencies, 0),
    ...(plain === undefined ? [] : [curve(own.plain, plain, 1)]),
  ];
  const finite = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter(Number.isFinite);
  chart.show({
    curves,
    x: { label: words.axes.pair, least: 0, most: Math.max(1, frequencies.length - 1) },
    y: { label: words.axes.period, least: Math.min(1, ...finite), most: 2 * Math.max(length, ...finite), log: true },
    rules: [{ at: length, label: own.trainedRule(grouped(length)) }],
    ...(marked !== undefined && { cursor: marked }),
  });
  const periods = Array.from(frequencies, period_of);
  const [least, most] = [short(Math.min(...periods)), short(Math.max(...periods))];
  const reached = own.reached(unmet(ladder), periods.length, grouped(length), grouped(longer), slower(ladder));
  chart.describe(`${own.ladderSummary(least, most)} ${reached}`, () => ({
    head: [words.axes.pair, words.axes.period, ...(plain === undefined ? [] : [own.plain])],
    rows: periods.map((period, k) => [
      k,
      short(period, 7),
      ...(plain === undefined ? [] : [short(period_of(plain[k] ?? 0), 7)]),
    ]),
  }));
}

export function show_clocks(
  figure: Clocks,
  words: Words,
  position: bigint,
  { cosines, sines }: Signal['clocks'],
  ladder: Ladder,
): void {
  const own = words.signal;
  const { frequencies, longer, marked } = ladder;
  const count = frequencies.length;
  const period = (pair: number): number => period_of(frequencies[pair] ?? 0);
  const shown = shown_pairs(count, marked);
  figure.show(
    shown.map((pair) => ({
      pair,
      cosine: cosines[pair] ?? 0,
      sine: sines[pair] ?? 0,
      period: short(period(pair), 3),
      unmet: is_unmet(ladder, pair),
    })),
    marked,
  );
  figure.describe(own.clockSummary(grouped(position), unmet(ladder), count, shown.length, grouped(longer)), () => ({
    head: [words.axes.pair, words.axes.period, 'cos', 'sin'],
    rows: Array.from(frequencies, (_, k) => [
      k,
      short(period(k), 7),
      f32_text(cosines[k] ?? 0),
      f32_text(sines[k] ?? 0),
    ]),
  }));
}
