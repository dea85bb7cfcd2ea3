// SPDX-License-Identifier: Apache-2.0
// What every picture has: a frame as wide as its place, a summary in words, a table, and itself as a file.
import { html, new_id, set, svg } from './dom.js';

export interface Table {
  head: string[];
  rows: (string | number)[][];
}

/** A picture that draws itself anew when its place has another width. */
export abstract class Figure {
  readonly element: HTMLElement;
  protected readonly stage = html('div', { class: 'stage' });
  protected readonly drawing = svg('svg', { 'aria-hidden': 'true', focusable: 'false' });
  readonly #summary = html('p', { class: 'summary', id: new_id() });
  readonly #table = html('div', { class: 'scroll', tabindex: 0, role: 'region' });
  readonly #details: HTMLDetailsElement;
  #make_table: (() => Table) | undefined;
  #width = 0;

  /** `table_word` opens the table. */
  protected constructor(title: string, table_word: string) {
    this.stage.append(this.drawing);
    set(this.stage, { role: 'img', 'aria-label': title, 'aria-describedby': this.#summary.id });
    set(this.#table, { 'aria-label': `${title}: ${table_word}` });
    this.#details = html(
      'details',
      { class: 'table', ontoggle: () => this.#fill_table() },
      html('summary', {}, table_word),
      this.#table,
    );
    this.element = html('figure', {}, html('figcaption', {}, title), this.stage, this.#summary, this.#details);
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width === this.#width || width === 0) return;
      this.#width = width;
      this.draw(width);
    }).observe(this.stage);
  }
  protected abstract draw(width: number): void;

  protected redraw(): void {
    if (this.#width > 0) this.draw(this.#width);
  }
  /** The size of the drawing; on paper it shrinks with its place. */
  protected size(width: number, height: number): void {
    set(this.drawing, { width, height, viewBox: `0 0 ${width} ${height}` });
  }
  /** Words for those who do not see the picture, and numbers for all. */
  describe(summary: string, table: () => Table): void {
    this.#summary.textContent = summary;
    this.#make_table = table;
    this.#fill_table();
  }
  #fill_table(): void {
    if (!this.#details.open || this.#make_table === undefined) return;
    const { head, rows } = this.#make_table();
    this.#table.replaceChildren(
      html(
        'table',
        {},
        html('thead', {}, html('tr', {}, ...head.map((text) => html('th', { scope: 'col' }, text)))),
        html('tbody', {}, ...rows.map((row) => html('tr', {}, ...row.map((cell) => html('td', {}, String(cell)))))),
      ),
    );
  }
  /** The drawing alone, with colours as they are here. */
  svg_text(): string {
    const copy = this.drawing.cloneNode(true) as SVGSVGElement;
    const style = getComputedStyle(this.stage);
    const { width, height } = this.drawing.getBoundingClientRect();
    set(copy, {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-family': 'system-ui, sans-serif',
      'font-size': 12,
    });
    for (const left_out of copy.querySelectorAll('.cursor')) left_out.remove();
    const picture = this.pixels();
    if (picture !== undefined) {
      copy.prepend(
        svg('image', {
          href: picture.href,
          x: picture.x,
          y: picture.y,
          width: picture.width,
          height: picture.height,
          style: 'image-rendering: pixelated',
        }),
      );
    }
    copy.prepend(svg('rect', { width, height, fill: 'var(--paper)' }));
    return new XMLSerializer()
      .serializeToString(copy)
      .replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
  }
  /** What stands below the drawing, if anything. */
  protected pixels(): { href: string; x: number; y: number; width: number; height: number } | undefined {
    return undefined;
  }
  async png(): Promise<Blob> {
    const text = this.svg_text();
    const { width, height } = this.drawing.getBoundingClientRect();
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = html('canvas', { width: Math.round(2 * width), height: Math.round(2 * height) });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((settle, fail) =>
      canvas.toBlob((blob) => (blob ? settle(blob) : fail(new Error('toBlob'))), 'image/png'),
    );
  }
}

/** Text of a drawing. */
export function label(x: number, y: number, text: string, more: Record<string, string | number> = {}): SVGTextElement {
  return svg('text', { x, y, fill: 'var(--muted)', 'font-size': 12, ...more }, text);
}
export const line = (
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  more: Record<string, string | number> = {},
): SVGLineElement => svg('line', { x1, y1, x2, y2, stroke: 'var(--rule)', ...more });
