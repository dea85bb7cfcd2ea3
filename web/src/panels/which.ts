// SPDX-License-Identifier: Apache-2.0
// Which one is it: two conventions side by side, and a file that is dropped, identified or inspected.
import { dimension_of } from '../cursor.js';
import type { Compared } from '../engine/referee.js';
import { html } from '../parts/dom.js';
import { drop_place } from '../parts/drop.js';
import { choice_field } from '../parts/field.js';
import { literal, quoted, type Ways } from '../parts/make.js';
import { save_buttons } from '../parts/save.js';
import { Wires } from '../parts/wires.js';
import { Panel, type Shared } from './panel.js';
import { added_rotated_and_biases, preset_field } from './presets.js';
import { asked_of } from './signal_asked.js';

const largest_file = 512 * 2 ** 20; // bytes: the module has 32-bit addresses, and holds a file and its tensor
const widths = ['8', '16', '32', '64'];

function ways_of_two(a: string, b: string): Ways {
  return {
    command: `posenc compare ${a} ${b}`,
    cpp: `#include <posenc/preset.h>\n#include <posenc/referee.h>\n\nconst auto compared = posenc::compare(posenc::preset(${literal(a)}).convention, posenc::preset(${literal(b)}).convention);`,
    python: `import posenc\n\nprint(posenc.compare(${literal(a)}, ${literal(b)}))`,
  };
}
function ways_of_file(name: string): Ways {
  const is_configuration = name.endsWith('.json');
  return {
    command: is_configuration ? `posenc inspect ${quoted(name)}` : `posenc identify ${quoted(name)}`,
    cpp: is_configuration
      ? `#include <posenc/inspect.h>\n\nconst auto positions = posenc::inspect(json);`
      : `#include <posenc/identify.h>\n\nconst auto found = posenc::identify(view);`,
    python: is_configuration
      ? `import posenc\n\nprint(posenc.inspect(${literal(name)}))`
      : `import posenc\n\nprint(posenc.identify_file(${literal(name)}))`,
  };
}

class WhichPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #wires: Wires;
  readonly #told = html('p', { class: 'summary', role: 'status' });
  readonly #verdict = html('div', { class: 'verdict', tabindex: 0, role: 'group' });
  readonly #found = html('div', { class: 'verdict', tabindex: 0, role: 'group', hidden: true });
  readonly #progress = html('p', { class: 'summary', role: 'status' });
  readonly #tensors = html('ul', { class: 'tokens', hidden: true });
  #compared: Compared | undefined;

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.which;
    this.#shared = shared;
    this.panel = new Panel('which', shared, own);
    this.#wires = new Wires(own.wires, words.table);
    this.#verdict.setAttribute('aria-label', own.verdict);
    this.#found.setAttribute('aria-label', own.found);
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
        choices: widths.map((value) => ({ value, label: value })),
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
      this.#found,
    );
  }
  async #draw(): Promise<void> {
    const { state, words, referee } = this.#shared;
    const own = words.which;
    const [left, right] = [state.get('left'), state.get('right')];
    this.#told.textContent = own.working;
    this.#compared = await referee().ask('compare', left, right, Number(state.get('across')));
    this.panel.say('');
    this.#told.textContent = this.#compared.equal
      ? own.equal(left, right)
      : own.differ(this.#compared.differences.length);
    this.#verdict.textContent = this.#compared.text;
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
    this.#wires.describe(
      compared.order === undefined ? own.noOrder(compared.reason) : own.order(order.length, moved),
      () => ({ head: [own.columnOf(names[1]), own.columnOf(names[0])], rows: order.map((from, to) => [to, from]) }),
    );
  }
  /** Runs work on a file, and says what is wrong with it. */
  async #on_file(name: string, work: () => Promise<string>): Promise<void> {
    const { words } = this.#shared;
    this.#found.hidden = true;
    this.#progress.textContent = words.which.reading(name);
    try {
      this.#found.textContent = await work();
      this.#found.hidden = false;
    } catch (thrown) {
      this.#progress.textContent = words.fault(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  async #take(file: File): Promise<void> {
    const { words, referee } = this.#shared;
    const own = words.which;
    const { name } = file;
    this.#tensors.hidden = true;
    await this.#on_file(name, async () => {
      if (file.size > largest_file) throw new Error(own.tooLarge);
      this.panel.make.show(ways_of_file(name));
      if (name.endsWith('.json')) {
        const found = await referee().ask('inspect', await file.text(), name);
        this.#progress.textContent = own.inspected(name);
        return found;
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (name.endsWith('.safetensors')) return this.#list(bytes, name);
      return this.#tell(name, await referee().ask('identify', bytes, name));
    });
  }
  #tell(
    name: string,
    {
      holds,
      shape,
      type,
      presets,
      text,
    }: { holds: boolean; shape: number[]; type: string; presets: string[]; text: string },
  ): string {
    const own = this.#shared.words.which;
    const few = 8;
    const named = presets.slice(0, few).join(', ') + (presets.length > few ? own.more(presets.length - few) : '');
    this.#progress.textContent = holds
      ? own.identified(name, type, shape.join(' × '), named, text.split('\n  form ', 1)[0]!.includes('\n  but for '))
      : own.unknown(name, type, shape.join(' × '));
    return text;
  }
  /** A file of several tensors: each may be chosen. */
  async #list(bytes: Uint8Array, name: string): Promise<string> {
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
    return found.map((tensor) => `${tensor.name}  ${tensor.type} [${tensor.shape.join(', ')}]`).join('\n');
  }
  async #identify_rows(): Promise<void> {
    const { state, words, referee } = this.#shared;
    const asked = asked_of(state, await this.#shared.about);
    await this.#on_file(asked.preset, async () =>
      this.#tell(
        words.which.rows(state.get('rows')),
        await referee().ask('identify_rows', asked, state.get('from'), Number(state.get('rows'))),
      ),
    );
  }
}

export const which_panel = (shared: Shared): Panel => new WhichPanel(shared).panel;
