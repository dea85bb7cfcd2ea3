// SPDX-License-Identifier: Apache-2.0
// The page: its frame, and the panels in it, in the language and the colours that were asked for.
import type { About } from './engine/about.js';
import { Engine } from './engine/client.js';
import { cursor_bar } from './cursor.js';
import { html } from './parts/dom.js';
import { keep_page } from './parts/drop.js';
import { segments } from './parts/field.js';
import { distance_panel } from './panels/distance.js';
import { images_panel } from './panels/images.js';
import { precision_panel } from './panels/precision.js';
import { signal_panel } from './panels/signal.js';
import { text_panel } from './panels/text.js';
import { which_panel } from './panels/which.js';
import { fault, type Panel, type Shared } from './panels/panel.js';
import { State, defaults, type Name } from './state.js';
import { languages, words_of } from './words/words.js';

const state = new State();
const counts = new Map<Engine, number>();
function watched(of: Engine): Engine {
  of.busy = (count) => {
    counts.set(of, count);
    document.documentElement.dataset.busy = String([...counts.values()].reduce((sum, each) => sum + each, 0));
  };
  return of;
}
const engine = watched(new Engine());
let told: Promise<About> | undefined;
function about(): Promise<About> {
  told ??= engine.ask('about').catch((error) => {
    told = undefined; // the next request tries again
    throw error;
  });
  return told;
}
/** The referee is loaded when it is first asked. */
let judge: Engine | undefined;
const referee = (): Engine => (judge ??= watched(new Engine()));
const dark = matchMedia('(prefers-color-scheme: dark)');

function show_colours(): void {
  const asked = state.get('theme');
  document.documentElement.dataset.theme =
    asked === 'light' || asked === 'dark' ? asked : dark.matches ? 'dark' : 'light';
}

function tools({ words }: Shared): HTMLElement {
  const named = Object.entries(languages).map(([value, each]) => ({ value, label: each.name }));
  const language = segments(state, { name: 'lang', label: words.tools.language, choices: named });
  for (const box of language.querySelectorAll('input')) box.checked = box.value === words.code;
  for (const [i, label] of language.querySelectorAll('label').entries()) label.lang = named[i]?.value ?? '';
  return html(
    'div',
    { class: 'tools' },
    language,
    segments(state, {
      name: 'theme',
      label: words.tools.theme,
      choices: [
        { value: '', label: words.tools.system },
        { value: 'light', label: words.tools.light },
        { value: 'dark', label: words.tools.dark },
      ],
    }),
  );
}

/** Shows a panel, also while those above it are drawn and grow, until the reader moves. */
function stay_at(element: HTMLElement): void {
  const most = 5000; // ms
  const growing = new ResizeObserver(() => element.scrollIntoView());
  const stop = () => growing.disconnect();
  growing.observe(document.body);
  for (const kind of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    window.addEventListener(kind, stop, { once: true });
  }
  setTimeout(stop, most);
}

/** Shows the panel that the address names. */
function show_named(): void {
  const element = panels.find(({ id }) => id === state.panel)?.element;
  if (element !== undefined) stay_at(element);
}

function contents({ words }: Shared, panels: readonly Panel[]): HTMLElement {
  const links = panels.map(({ id, title, element }) => ({
    element,
    link: html(
      'a',
      {
        href: `#${id}`,
        onclick: (event: Event) => {
          event.preventDefault(); // the address behind # has the state too
          state.panel = id;
          stay_at(element);
          element.querySelector('h2')?.focus({ preventScroll: true });
        },
      },
      title,
    ),
  }));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = links.find(({ element }) => element === target)?.link;
        if (isIntersecting) link?.setAttribute('aria-current', 'true');
        else link?.removeAttribute('aria-current');
      }
    },
    { rootMargin: '-45% 0px -50% 0px' },
  );
  for (const { element } of links) observer.observe(element);
  return html('nav', { 'aria-label': words.nav }, html('ol', {}, ...links.map(({ link }) => html('li', {}, link))));
}

const idle = 1500; // ms without a change, after which panels that nobody sees are drawn too: paper has them all
let waiting: ReturnType<typeof setTimeout> | undefined;
function draw_soon(): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    for (const panel of panels) if (panel.id !== 'which') panel.catch_up(); // that one loads the referee
  }, idle);
}
/** Prints once every panel is drawn. A print from a menu waits for nothing. */
function print_all(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== 'p') return;
  event.preventDefault();
  for (const panel of panels) panel.catch_up();
  const print_when_drawn = (): void => {
    if (document.documentElement.dataset.busy !== '0') setTimeout(print_when_drawn, 100);
    else requestAnimationFrame(() => requestAnimationFrame(() => print()));
  };
  print_when_drawn();
}

let panels: Panel[] = [];
let tell_about: (() => void) | undefined; // in the footer
function show(): void {
  state.forget();
  const words = words_of(state.get('lang'));
  const shared: Shared = { state, engine, about, referee, words, here: { token: undefined, changed: () => {} } };
  document.documentElement.lang = words.tag;
  document.title = `posenc: ${words.title}`;
  panels = [
    text_panel(shared),
    signal_panel(shared),
    distance_panel(shared),
    precision_panel(shared),
    which_panel(shared),
    images_panel(shared),
  ];
  const footer = html('footer', {}, words.loading);
  tell_about = () =>
    void about().then(
      ({ version, presets }) => {
        footer.textContent = words.footer(version, presets);
      },
      (error: Error) => {
        footer.replaceChildren(fault(words, error));
      },
    );
  tell_about();
  const at_tools = document.activeElement?.closest('.tools') != null;
  document.body.replaceChildren(
    html(
      'a',
      {
        class: 'skip',
        href: '#panels',
        onclick: (event: Event) => {
          event.preventDefault();
          panels[0]?.element.querySelector('h2')?.focus();
        },
      },
      words.skip,
    ),
    html(
      'header',
      { class: 'top' },
      html('div', {}, html('h1', {}, words.title), html('p', { class: 'lead' }, words.lead)),
      tools(shared),
    ),
    html('div', { class: 'bar', role: 'region', 'aria-label': words.cursor.name }, cursor_bar(shared)),
    html(
      'div',
      { class: 'page' },
      contents(shared, panels),
      html('main', { id: 'panels' }, ...panels.map(({ element }) => element)),
      footer,
    ),
  );
  if (at_tools) document.querySelector<HTMLElement>('.tools input:checked')?.focus(); // the switch was made anew
  let panel = state.panel;
  state.on_return(() => {
    if (state.panel !== panel) show_named();
    panel = state.panel;
  });
  state.on(['lang'], show);
  state.on(['theme'], show_colours);
  state.on(Object.keys(defaults) as Name[], draw_soon);
  draw_soon();
}

dark.addEventListener('change', show_colours);
addEventListener('keydown', print_all);
addEventListener('online', () => {
  tell_about?.();
  for (const panel of panels) panel.retry();
});
keep_page();
show_colours();
show();
show_named();
