// SPDX-License-Identifier: Apache-2.0
// What the referee found, in the language of the page: a sentence and a table, made of its JSON.
import type { Agreement, Candidate, Compared, Identified, Inspected, Role } from '../engine/referee.js';
import { facts } from '../parts/facts.js';
import { f32_text, grouped, short } from '../parts/numbers.js';
import type { Words } from '../words/words.js';

type Own = Words['which'];
const few = 8;

function named(own: Own, presets: readonly string[]): string {
  const more = presets.length - few;
  return presets.slice(0, few).join(', ') + (more > 0 ? own.more(more) : '');
}
function agreement(own: Own, { entries, equal, largest, difference }: Agreement): string {
  if (equal === entries) return own.allEqual(grouped(entries));
  if (!Number.isFinite(largest ?? NaN)) return own.onlyEqual(grouped(equal), grouped(entries)); // others are no numbers
  return own.someEqual(grouped(equal), grouped(entries), short(largest, 3), short(difference, 3));
}

/** One sentence, which says no more and no less than the report does. */
export function headline(own: Own, name: string, { candidates, nearest, kind, type, shape }: Identified): string {
  const what = own.what(name, type, shape.join(' × '));
  const [first] = candidates;
  if (first !== undefined && candidates.length > 1) {
    return own.several(what, candidates.length, named(own, [...new Set(candidates.flatMap(({ presets }) => presets))]));
  }
  if (first !== undefined) return own.identified(what, named(own, first.presets), first.differences.length > 0);
  if (nearest === null) return own.unknown(what);
  return own.nearest(what, named(own, nearest.presets), agreement(own, nearest.exact), kind !== '');
}

/** Where the rows begin, where that is not position 0 and all axes of all candidates agree; else nothing. */
export function beginning(own: Own, { candidates }: Identified): string {
  const told = new Set(
    candidates.flatMap(({ places }) =>
      places.map(({ first, step }) =>
        step === null || (first === 0 && step === 1) ? '' : own.begins(short(first, 9), short(step, 9)),
      ),
    ),
  );
  return told.size === 1 ? ([...told][0] ?? '') : '';
}

/** The fields of a candidate that say something. */
export function candidate_table(own: Own, caption: string, found: Candidate): HTMLElement {
  const { fields } = own;
  const rows: [string, string][] = [
    [fields.presets, named(own, found.presets)],
    ...found.differences.slice(0, few).map((text): [string, string] => [fields.differences, text]),
    [fields.form, found.form],
    [fields.reading, found.reading === '' ? '' : `${found.reading}, ${found.extents.join(' × ')}`],
    [fields.copies, found.copies > 1 ? grouped(found.copies) : ''],
    [fields.extra, found.extra > 0 ? grouped(found.extra) : ''],
    [fields.width, found.width > 0 ? grouped(found.width) : ''],
    ...found.places.map(({ axis, first, step }): [string, string] => [
      axis,
      own.places(short(first, 6), step === null ? null : short(step, 6)),
    ]),
    ...found.fitted.map(({ name, value, simple }): [string, string] => [
      `${fields.fitted}: ${name}`,
      simple === '' ? short(value, 6) : simple,
    ]),
    [fields.storage, found.storage],
    [fields.exact, agreement(own, found.exact)],
    [found.recipe === 'exact' ? '' : found.recipe, agreement(own, found.by_recipe)],
  ];
  return facts(
    caption,
    [],
    rows.filter(([name, value]) => name !== '' && value !== ''),
  );
}

/** Fields in which two conventions differ, and where their numbers part. */
export function compared_table(own: Own, names: [string, string], found: Compared): HTMLElement | string {
  const split = (text: string): string[] => /^(.*?): (.*), not (.*)$/.exec(text)?.slice(1) ?? [text, '', ''];
  const place = ({ at }: { at: number[] }): string => at.map((each, i) => `${found.axes[i] ?? ''} ${each}`).join(', ');
  const numbers = [
    [own.firstApart, found.first],
    [own.mostApart, found.largest],
  ] as const;
  const rows = [
    ...found.differences.map(split),
    ...numbers.flatMap(([label, apart]) =>
      apart === null
        ? []
        : [[`${label}: ${place(apart)}`, f32_text(Math.fround(apart.a)), f32_text(Math.fround(apart.b))]],
    ),
  ];
  return rows.length === 0 ? '' : facts(own.differences, [own.field, ...names], rows);
}

function role_row([name, { preset, convention, width }]: [string, Role], longest: number | undefined): string[] {
  const [ladder] = convention?.ladders ?? [];
  const scaling = ladder?.scaling;
  const scaled = typeof scaling === 'object' ? scaling : undefined;
  const number = (value: number | null | undefined): string =>
    value === undefined || value === null ? '—' : grouped(value);
  return [
    name,
    [convention?.family, preset].filter(Boolean).join(': '),
    number(ladder?.base),
    number(width.head ?? width.columns),
    scaled === undefined ? (scaling?.toString() ?? '—') : [scaled.kind, scaled.factor].filter(Boolean).join(' '),
    number(scaled?.length ?? width.rows ?? longest),
  ];
}
/** The roles of a model that have positions. */
export function roles_table(own: Own, { model, roles, longest }: Inspected): HTMLElement {
  const { role, family, base, head, scaling, trained } = own.roles;
  const placed = Object.entries(roles).filter(([, { convention }]) => convention !== null);
  return facts(
    own.statedBy(model),
    [role, family, base, head, scaling, trained],
    placed.map((each) => role_row(each, longest)),
  );
}
