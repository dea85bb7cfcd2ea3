// SPDX-License-Identifier: Apache-2.0
// A wall of clocks, one a pair of columns, whose hands show the angle at a position; and what says that a hand
// reaches an angle that training did not show.
import { set, svg } from './dom.js';
import { Figure, label } from './figure.js';

export interface Clock {
  pair: number;
  cosine: number;
  sine: number;
  /** In tokens. */
  period: string;
  unmet: boolean;
}

const most = 64;
const wide = 66;
const high = 84;
const radius = 25;
const top = 6;

/** Pairs that are shown: all, or as many as there is room for, evenly, and the marked one. */
export function shown_pairs(count: number, marked: number | undefined): number[] {
  if (count <= most) return Array.from({ length: count }, (_, k) => k);
  const even = Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
  if (marked === undefined || even.includes(marked)) return even;
  return [...even, marked].sort((a, b) => a - b);
}

export class Clocks extends Figure {
  #clocks: Clock[] = [];
  #marked: number | undefined;
  #hands: SVGLineElement[] = [];
  pick: (pair: number) => void = () => {};

  constructor(title: string, table_word: string) {
    super(title, table_word);
    this.stage.addEventListener('click', (event) => {
      const clock = (event.target as Element).closest('g[data-pair]');
      if (clock !== null) this.pick(Number(clock.getAttribute('data-pair')));
    });
  }
  /** `marked` is the pair of the cursor. */
  show(clocks: Clock[], marked: number | undefined): void {
    const key = (list: Clock[]): string => list.map(({ pair, period, unmet }) => `${pair} ${period} ${unmet}`).join();
    const same = key(clocks) === key(this.#clocks) && marked === this.#marked && this.#hands.length > 0;
    this.#clocks = clocks;
    this.#marked = marked;
    if (same) this.#turn();
    else this.redraw();
  }
  #turn(): void {
    this.#clocks.forEach(({ cosine, sine }, i) =>
      set(this.#hands[i] as SVGLineElement, {
        x2: (cosine * radius * 0.86).toFixed(2),
        y2: (-sine * radius * 0.86).toFixed(2),
      }),
    );
  }
  protected draw(width: number): void {
    const across = Math.max(1, Math.floor(width / wide));
    this.size(width, Math.max(1, Math.ceil(this.#clocks.length / across)) * high + top);
    this.#hands = [];
    this.drawing.replaceChildren(
      ...this.#clocks.map(({ pair, period, unmet }, i) => {
        const hand = svg('line', {
          x1: 0,
          y1: 0,
          x2: 0,
          y2: 0,
          stroke: unmet ? 'var(--curve-2)' : 'var(--curve-1)',
          'stroke-width': 2.5,
          'stroke-linecap': 'round',
        });
        this.#hands.push(hand);
        const ring = unmet ? { stroke: 'var(--curve-2)', 'stroke-dasharray': '3 3' } : { stroke: 'var(--rule)' };
        return svg(
          'g',
          {
            transform: `translate(${(i % across) * wide + wide / 2} ${Math.floor(i / across) * high + radius + top})`,
            'data-pair': pair,
            style: 'cursor: pointer',
          },
          svg('circle', { r: radius, fill: 'var(--raised)', 'stroke-width': 1.5, ...ring }),
          pair === this.#marked &&
            svg('circle', {
              r: radius + 3.5,
              fill: 'none',
              stroke: 'var(--mark)',
              'stroke-width': 1.5,
              class: 'cursor',
            }),
          svg('line', { x1: radius - 4, y1: 0, x2: radius, y2: 0, stroke: 'var(--muted)' }),
          hand,
          svg('circle', { r: 2, fill: 'var(--ink)' }),
          label(0, radius + 14, period, { 'text-anchor': 'middle', 'font-size': 11 }),
          label(0, radius + 26, `k ${pair}`, { 'text-anchor': 'middle', 'font-size': 10 }),
        );
      }),
    );
    this.#turn();
  }
}
