// SPDX-License-Identifier: Apache-2.0
// The hash lines of native_lines.cc, made by the module: in node and, as it stands, in a page.

const widths = [12, 64, 130], heads = [64, 128], biasHeads = [1, 8, 12];
const ranges = [{ start: 0, count: 37 }, { start: 1e9, count: 3 }, { start: -5, count: 4, step: 3 },
  { start: 0.25, count: 5, step: 0.5 }];
const queries = { start: 3, count: 17 }, keys = { count: 23 };
const reals = ['f32', 'f64', 'f16', 'bf16'];
const extents = [3, 5, 2, 1, 1, 1, 1, 1];  // the first few, one for each axis

const encoder = new TextEncoder();

async function hash(parts) {
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of a tensor, which is freed; a text; or what a result was refused with. */
function part(result) {
  if (!result.ok) return encoder.encode(`[${result.error.operation}] ${result.error.rule}, got ${result.error.value}`);
  const { value } = result;
  if (typeof value === 'string') return encoder.encode(value);
  const data = value.data.slice();
  value.free();
  return new Uint8Array(data.buffer);
}

/** `each(value)` of a handle, whose parts are put together. */
function of_made(result, each) {
  if (!result.ok) return [part(result)];
  const parts = each(result.value);
  result.value.free();
  return parts;
}

const list_of = (convention, range) => convention.axes.map(() => range);

const kinds = {
  rows: (posenc, of, options) => widths.flatMap((width) => of_made(posenc.rows(of, width, options), (rows) =>
    ranges.flatMap((range) => reals.map((type) => part(rows.table(range, type)))))),
  coordinates: (posenc, of) => widths.flatMap((width) => of_made(posenc.coordinates(of, width), (rows) =>
    ranges.map((range) => part(rows.table(list_of(of, range)))))),
  grid: (posenc, of) => widths.flatMap((width) => of_made(posenc.grid(of, width, { places: {} }), (grid) =>
    [part(grid.table(extents.slice(0, of.cellAxes.length)))])),
  rotation: (posenc, of) => heads.flatMap((head) => of_made(posenc.rotation(of, head), (rotation) =>
    ranges.map((range) => {
      const values = Float32Array.from({ length: range.count * head }, (_, i) => ((i * 37) % 101 - 50) / 64);
      const turned = posenc.tensor('f32', [range.count, head], values);
      const result = rotation.rotate(list_of(of, range), turned.value, { side: 'query' });
      const bytes = part(result);
      turned.value.free();
      return bytes;
    }))),
  rotationTables: (posenc, of) => heads.flatMap((head) => of_made(posenc.rotationTables(of, head), (tables) =>
    tables.names.flatMap((name) => ranges.map((range) => part(tables.table(name, list_of(of, range))))))),
  bias: (posenc, of) => biasHeads.flatMap((number) => reals.map((type) => part(posenc.bias(of, number, queries, keys, { type })))),
  buckets: (posenc, of) => [part(posenc.buckets(of, queries, keys))],
  queryScale: (posenc, of) => ranges.map((range) => part(posenc.queryScale(of, range))),
};

/** `kind` of a verdict's texts. */
function verdict_parts(result) {
  if (!result.ok) return [part(result)];
  return [encoder.encode(result.value.json), encoder.encode(result.value.text)];
}

function* of_preset(posenc, preset) {
  const made = posenc.convention(preset);
  if (!made.ok) return;
  const of = made.value, gives = (use) => of.gives(use).ok;
  yield ['preset', [encoder.encode(posenc.preset(preset).value), encoder.encode(of.json().value)]];
  if (gives('rows') || gives('tokens') || gives('timesteps')) yield ['rows', kinds.rows(posenc, of)];
  if (preset === 'pytorch') yield ['rowsByRecipe', kinds.rows(posenc, of, { recipe: 'f32-exp' })];
  if (gives('coordinates')) yield ['coordinates', kinds.coordinates(posenc, of)];
  if (gives('cells') && of.cellAxes.length < 8) yield ['grid', kinds.grid(posenc, of)];
  if (gives('rotations')) yield ['rotation', kinds.rotation(posenc, of)];
  if (gives('rotations')) yield ['rotationTables', kinds.rotationTables(posenc, of)];
  if (gives('slopes')) yield ['bias', kinds.bias(posenc, of)];
  if (gives('classes')) yield ['buckets', kinds.buckets(posenc, of)];
  if (gives('queryScales')) yield ['queryScale', kinds.queryScale(posenc, of)];
  yield ['explain', verdict_parts(posenc.explain(of, { width: 64, column: 5, at: of.axes.map(() => 100) }))];
  if (gives('tokens')) {
    const table = posenc.table(of, 64, ranges[0]);
    if (table.ok) yield ['identify', verdict_parts(posenc.identify(table.value))];
    if (table.ok) table.value.free();
  }
  of.free();
}

/** Every line, in the order of native_lines.cc; configurations as [name, text]. */
export async function lines(posenc, configurations) {
  const all = [];
  for (const preset of posenc.presets) {
    for (const [kind, parts] of of_preset(posenc, preset)) all.push(`${kind} ${preset} ${await hash(parts)}`);
  }
  for (const [name, json] of configurations) all.push(`inspect ${name} ${await hash([part(posenc.inspect(json))])}`);
  return all;
}
