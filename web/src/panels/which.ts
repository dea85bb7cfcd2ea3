// SPDX-License-Identifier: Apache-2.0
// Which one is it: two conventions side by side, and a file that is dropped, identified or inspected.
import { dimension_of } from '../cursor.js';
import { Stopped } from '../engine/client.js';
import type { Compared, Identified } from '../engine/referee.js';
import { html } from '../parts/dom.js';
import { drop_place } from '../parts/drop.js';
import { raw } from '../parts/facts.js';
import { choice_field } from '../parts/field.js';
import { literal, quoted, type Ways } from '../parts/make.js';
import { save_buttons } from '../parts/save.js';
import { Wires } from '../parts/wires.js';
import { listed } from '../state.js';
import { Panel, fault, type Shared } from './panel.js';
import { added_rotated_and_biases, preset_field } from './presets.js';
import { asked_of } from './signal_asked.js';
import { beginning, candidate_table, compared_table, headline, roles_table } from './which_told.js';

const largest_file = 512 * 2 ** 20; // bytes: the module has 32-bit addresses, and holds a file and its tensor
const most_candidates = 4; // that are shown as tables

function ways_of_two(a: string, b: string): Ways {
  return {
    command: `posenc compare ${a} ${b}`,
    cpp: `#include <posenc/preset.h>\n#include <posenc/referee/referee.h>\n\nconst auto compared = posenc::compare(posenc::preset(${literal(a)}).convention, posenc::preset(${literal(b)}).convention);`,
    python: `import posenc\n\nprint(posenc.compare(${literal(a)}, ${literal(b)}))`,
  };
}
function ways_of_file(name: string): Ways {
  const is_configuration = name.endsWith('.json');
  return {
    command: is_configuration ? `posenc inspect ${quoted(name)}` : `posenc identify ${quoted(name)}`,
    cpp: is_configuration
      ? `#include <posenc/spec/inspect.h>\n\nconst auto positions = posenc::inspect(json);`
      : `#include <posenc/referee/identify.h>\n\nconst auto found = posenc::identify(view);`,
    python: is_configuration
      ? `import posenc\n\nprint(posenc.inspect(${literal(name)}))`
      : `import posenc\n\nprint(posenc.identify_file(${literal(name)}))`,
  };
}

/** What is wrong with a file, in the page's language. */
class WrongFile extends Error {}

class WhichPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #wires: Wires;
  readonly #told = html('p', { class: 'summary', role: 'status' });
  readonly #verdict = html('div');
  readonly #found = html('div', { class: 'found' });
  readonly #progress = html('p', { class: 'summary', role: 'status' });
  readonly #seconds = html('span', { class: 'summary', 'aria-hidden': 'true' });
  readonly #stop = html('button', { type: 'button', onclick: () => this.#end_run() });
  readonly #running = html('p', { hidden: true }, this.#stop, ' ', this.#seconds);
  #runs = 0;
  readonly #tensors = html('ul', { class: 'tokens', hidden: true });
  #compared: Compared | undefined;

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.which;
    this.#shared = shared;
    this.panel = new Panel('which', shared, own);
    this.#wires = new Wires(own.wires, words.table);
    this.#stop.textContent = own.stop;
    this.#tensors.setAttribute('aria-label', own.tensors);
    this.#build();
    this.#wires.pick = (column) => state.set({ i: String(column) });
    this.panel.drawn(['left', 'right', 'across'], () => this.#draw());
    state.on(['i'], () => this.#show_wires());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.which;
    const choices = added_rotated_and_biases(this.#shared);
    this.panel.controls.append(
      preset_field(this.#shared, 'left', own.left, choices),
      preset_field(this.#shared, 'right', own.right, choices),
      choice_field(state, {
        name: 'across',
        label: own.across,
        choices: listed.across.map((value) => ({ value, label: value })),
      }),
    );
    const sample = html('button', { type: 'button', onclick: () => void this.#identify_rows() }, own.sample);
    this.panel.body.append(
      html(
        'div',
        { class: 'pair' },
        html('div', {}, this.#wires.element, save_buttons(words.save, 'wires', this.#wires)),
        html('div', {}, html('h3', {}, own.verdict), this.#told, this.#verdict),
      ),
      html('h3', {}, own.file),
      drop_place(own, '.npy,.safetensors,.json', (file) => void this.#take(file)),
      html('p', {}, sample),
      this.#tensors,
      this.#progress,
      this.#running,
      this.#found,
    );
  }
  async #draw(): Promise<void> {
    const { state, words, referee } = this.#shared;
    const own = words.which;
    const [left, right] = [state.get('left'), state.get('right')];
    this.#told.textContent = own.working;
    this.#compared = await referee()
      .ask('compare', left, right, Number(state.get('across')))
      .finally(() => {
        this.#told.textContent = '';
      });
    this.panel.say('');
    this.#told.textContent = this.#compared.equal
      ? own.equal(left, right)
      : own.differ(this.#compared.differences.length);
    this.#verdict.replaceChildren(
      compared_table(own, [left, right], this.#compared),
      raw(own.raw, this.#compared.text),
    );
    this.#show_wires();
    this.panel.make.show(ways_of_two(left, right));
  }
  #show_wires(): void {
    const { state, words } = this.#shared;
    const own = words.which;
    const compared = this.#compared;
    if (compared === undefined) return;
    const { order = [] } = compared;
    const names: [string, string] = [state.get('left'), state.get('right')];
    this.#wires.show(order, names, dimension_of(state));
    const moved = order.filter((from, to) => from !== to).length;
    const column = dimension_of(state);
    const outside =
      order.length === 0 || column < order.length ? '' : ` ${own.outside(column, words.cursor.beyond(order.length))}`;
    this.#wires.describe(
      compared.order === undefined ? own.noOrder(compared.reason) : own.order(order.length, moved) + outside,
      () => ({ head: [own.columnOf(names[1]), own.columnOf(names[0])], rows: order.map((from, to) => [to, from]) }),
    );
  }
  /** Runs work on a file, says how long it takes, and what is wrong with it. */
  async #on_file(name: string, work: () => Promise<(HTMLElement | string)[]>): Promise<void> {
    const { words } = this.#shared;
    if (!this.#running.hidden) this.#end_run();
    const run = ++this.#runs;
    const start = performance.now();
    const count = (): void => {
      this.#seconds.textContent = words.which.seconds(Math.round((performance.now() - start) / 1000));
    };
    const timer = setInterval(count, 1000);
    count();
    this.#found.replaceChildren();
    this.#progress.textContent = words.which.reading(name);
    this.#running.hidden = false;
    let found: (HTMLElement | string)[] = [];
    try {
      found = await work();
    } catch (thrown) {
      if (run === this.#runs) this.#progress.replaceChildren(this.#fault(name, thrown));
    }
    clearInterval(timer);
    if (run !== this.#runs) return; // another one is at it
    this.#found.replaceChildren(...found);
    this.#running.hidden = true;
  }
  #fault(name: string, thrown: unknown): string | Node {
    const { words } = this.#shared;
    if (thrown instanceof Stopped) return words.which.stopped(name);
    if (thrown instanceof WrongFile) return words.fault + thrown.message;
    return fault(words, thrown);
  }
  #end_run(): void {
    this.#shared.referee().stop();
    this.panel.refresh(); // the comparison may have been under way
  }
  async #take(file: File): Promise<void> {
    const { words, referee } = this.#shared;
    const own = words.which;
    const { name } = file;
    this.#tensors.hidden = true;
    await this.#on_file(name, async () => {
      const kind = /\.(npy|safetensors|json)$/i.exec(name)?.[1]?.toLowerCase();
      if (kind === undefined) throw new WrongFile(own.wrongType(name));
      if (file.size > largest_file) throw new WrongFile(own.tooLarge);
      this.panel.make.show(ways_of_file(name));
      if (kind === 'json') {
        const found = await referee().ask('inspect', await file.text(), name);
        this.#progress.textContent = own.inspected(name);
        const missing = found.missing.map((each) =>
          html('p', {}, own.missing(each.name), html('span', { lang: 'en' }, each.why)),
        );
        return [roles_table(own, found), ...missing, raw(own.rawJson, found.json)];
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (kind === 'safetensors') return this.#list(bytes, name);
      return this.#tell(name, await referee().ask('identify', bytes, name));
    });
  }
  #tell(name: string, found: Identified): (HTMLElement | string)[] {
    const own = this.#shared.words.which;
    this.#progress.replaceChildren(
      headline(own, name, found) + beginning(own, found),
      ...(found.kind === '' ? [] : [html('span', { lang: 'en' }, ` ${found.kind}.`)]),
    );
    const count = found.candidates.length;
    const title = (i: number): string => (count === 1 ? own.found : own.foundOf(i + 1, count));
    const shown = [...found.candidates.slice(0, most_candidates), ...(found.nearest === null ? [] : [found.nearest])];
    return [
      ...shown.map((each, i) => candidate_table(own, each === found.nearest ? own.nearestOne : title(i), each)),
      raw(own.raw, found.text),
    ];
  }
  /** A file of several tensors: each may be chosen. */
  async #list(bytes: Uint8Array, name: string): Promise<HTMLElement[]> {
    const { words, referee } = this.#shared;
    const own = words.which;
    const found = await referee().ask('list_tensors', bytes, name);
    this.#tensors.replaceChildren(
      ...found.map((tensor) =>
        html(
          'li',
          {},
          html(
            'button',
            {
              type: 'button',
              disabled: !tensor.readable,
              onclick: () =>
                void this.#on_file(tensor.name, async () =>
                  this.#tell(tensor.name, await referee().ask('identify_tensor', bytes, name, tensor.name)),
                ),
            },
            html('b', {}, tensor.name),
            html('small', {}, `${tensor.type} ${tensor.shape.join(' × ')}`),
          ),
        ),
      ),
    );
    this.#tensors.hidden = false;
    this.#progress.textContent = own.listed(name, found.length);
    return []; // the list says all
  }
  async #identify_rows(): Promise<void> {
    const { state, words, referee } = this.#shared;
    const asked = asked_of(state, await this.#shared.about());
    await this.#on_file(asked.preset, async () =>
      this.#tell(
        words.which.rows(state.get('rows')),
        await referee().ask('identify_rows', asked, state.get('from'), Number(state.get('rows'))),
      ),
    );
  }
}

export const which_panel = (shared: Shared): Panel => new WhichPanel(shared).panel;
