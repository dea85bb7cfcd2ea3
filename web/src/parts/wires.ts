// SPDX-License-Identifier: Apache-2.0
// Columns of two conventions and the wires between them: which column of the left is each column of the right.
import { svg } from './dom.js';
import { Figure, label } from './figure.js';

const apart = 17;
const top = 30;
const box = { width: 54, height: 15 };

export class Wires extends Figure {
  #order: number[] = [];
  #names: [string, string] = ['', ''];
  #marked: number | undefined;
  pick: (column: number) => void = () => {};

  constructor(title: string, table_word: string) {
    super(title, table_word);
    this.stage.addEventListener('click', (event) => {
      const column = (event.target as Element).closest('g[data-column]')?.getAttribute('data-column');
      if (column !== null && column !== undefined) this.pick(Number(column));
    });
  }
  /** `marked` is a column of the left. */
  show(order: number[], names: [string, string], marked: number): void {
    this.#order = order;
    this.#names = names;
    this.#marked = marked;
    this.redraw();
  }
  protected draw(width: number): void {
    const used = Math.min(width, 420);
    const right = used - box.width - 1;
    const y = (row: number): number => top + row * apart;
    this.size(width, Math.max(1, top + this.#order.length * apart + 6));
    const column = (x: number, of: number, row: number): SVGElement =>
      svg(
        'g',
        { 'data-column': of, style: 'cursor: pointer' },
        svg('rect', {
          x,
          y: y(row),
          ...box,
          rx: 2,
          fill: 'var(--raised)',
          stroke: of === this.#marked ? 'var(--mark)' : 'var(--rule)',
        }),
        label(x + box.width / 2, y(row) + 11.5, String(x === 1 ? of : row), {
          'text-anchor': 'middle',
          'font-size': 11,
          fill: 'var(--ink)',
        }),
      );
    this.drawing.replaceChildren(
      label(1, 14, this.#names[0], { fill: 'var(--ink)' }),
      label(used, 14, this.#names[1], { 'text-anchor': 'end', fill: 'var(--ink)' }),
      ...this.#order.map((from, to) => {
        const [a, b] = [y(from) + box.height / 2, y(to) + box.height / 2];
        const x = 1 + box.width;
        const middle = (x + right) / 2;
        const marked = from === this.#marked;
        return svg('path', {
          d: `M${x} ${a}C${middle} ${a} ${middle} ${b} ${right} ${b}`,
          fill: 'none',
          stroke: marked ? 'var(--mark)' : from === to ? 'var(--curve-7)' : 'var(--curve-1)',
          'stroke-width': marked ? 2.25 : 1.25,
          opacity: marked ? 1 : 0.75,
        });
      }),
      ...this.#order.flatMap((from, to) => [column(1, from, from), column(right, from, to)]),
    );
  }
}
