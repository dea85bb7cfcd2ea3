// SPDX-License-Identifier: Apache-2.0
// What panels draw beside their tensors is what their lines of Python make: norms, weights, ladders, clocks, grids, rows of
// positions kept in 16 bits, scores of random vectors.
import assert from 'node:assert/strict';
import test from 'node:test';

import { new_page, of_npy, open, panel, saved, table_of } from './browser.mjs';
import { lines, python, rows, run, without_python } from './snippets.mjs';

/** Elements of a file that the page hands out. */
function floats(bytes) {
  const { data } = of_npy(bytes);
  return Array.from({ length: data.length / 4 }, (_, i) => data.readFloatLE(4 * i));
}

/** A number of a table or of a sentence. */
const number = (text) => {
  const [, mantissa, exponent] = /^([^ ]*?)(?: × )?(?:10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?$/.exec(text.replaceAll(',', '').replace('−', '-'));
  const raised = [...(exponent ?? '⁰')].map((each) => (each === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(each))).join('');
  return Number(mantissa || '1') * 10 ** Number(raised);
};
function assert_close(found, expected, tolerance, what = '') {
  assert.equal(found.length, expected.length);
  found.forEach((each, i) =>
    assert.ok(
      Math.abs(each - expected[i]) <= tolerance * Math.max(1, Math.abs(expected[i])),
      `${what} ${i}: ${each}, ${expected[i]}`,
    ),
  );
}
/** Runs a panel's lines, and gives arrays of Python by name. */
function arrays(context, code, names) {
  const print = `import json\nprint(json.dumps({name: np.ravel(value).astype(float).tolist() for name, value in dict(${names.map((name) => `${name}=${name}`).join(', ')}).items()}))`;
  return JSON.parse(run(context, python, ['-'], `${rows}\n${code}\n${print}`).stdout);
}
const columns_of = (table, from, to) => table.map((row) => row.slice(from, to).map(number));

for (const hash of ['', '#scale=off&columns=64&train=on', '#columns=512']) {
  test(`text ${hash}: norms and weights are those of Python's lines`, { skip: without_python }, async (context) => {
    const page = await new_page(context, await open(context), hash);
    const section = await panel(page, 'text');
    const made = arrays(context, await lines(section, 'python'), ['norms', 'without', 'placed']);
    const norms = columns_of(await table_of(section.locator('figure').first()), 1, 5);
    assert_close([0, 1, 2, 3].flatMap((kind) => norms.map((row) => row[kind])), made.norms, 1e-5);
    for (const [button, name] of [
      ['weights-1', 'without'],
      ['weights-3', 'placed'],
    ])
      assert_close(floats(await saved(page, section, `Save as ${button}.npy`)), made[name], 1e-5);
  });
}

for (const hash of ['', '#preset=rope-yarn&scaling=yarn&factor=4', '#preset=fairseq-sinusoidal&p=7&from=7']) {
  test(`signal ${hash}: the ladder and the clocks are those of Python's lines`, { skip: without_python }, async (context) => {
    const page = await new_page(context, await open(context), hash);
    const section = await panel(page, 'signal');
    const made = arrays(context, await lines(section, 'python'), ['periods', 'table']);
    const ladder = columns_of(await table_of(section.locator('figure').nth(1)), 1, 2).flat();
    assert_close(ladder, made.periods, 1e-6);
    const [period, cosine, sine] = [1, 2, 3].map((at) => at - 1);
    const clocks = columns_of(await table_of(section.locator('figure').nth(2)), 1, 4);
    assert_close(
      clocks.map((row) => row[period]),
      made.periods,
      1e-6,
    );
    const position = hash === '' || hash.includes('rope') ? 1 : 7; // of the cursor
    assert_close(
      clocks.map((row) => Math.atan2(row[sine], row[cosine])),
      made.periods.map((each) => Math.atan2(Math.sin((2 * Math.PI * position) / each), Math.cos((2 * Math.PI * position) / each))),
      1e-6,
    );
  });
}

test('images: each picture is that of Python’s lines', { skip: without_python }, async (context) => {
  const opened = await open(context);
  for (const hash of ['', '#grid=detr-sine&height=5&wide=7&row=4&column=0']) {
    const page = await new_page(context, opened, hash);
    const section = await panel(page, 'images');
    const names = ['alike', 'anew', 'resized'];
    const made = arrays(context, await lines(section, 'python'), names);
    for (const name of names)
      assert_close(floats(await saved(page, section, `Save as ${name}.npy`)), made[name], 1e-6, `${hash} ${name}`);
    await page.close();
  }
});

test('precision: rows of 16 bits and the largest differences are the library’s', { skip: without_python }, async (context) => {
  const page = await new_page(context, await open(context), '#at=15963');
  const section = await panel(page, 'precision');
  const kept = (await section.locator('.readout dd').allTextContents()).slice(2).map((text) => number(text.split(':')[0]));
  const table = columns_of(await table_of(section.locator('figure').first()), 1, 5);
  const worst = columns_of(await table_of(section.locator('figure').nth(1)), 0, 2);
  const code = `${await lines(section, 'python')}
kept = posenc.table("transformer", 512, ${JSON.stringify(kept)})
at = ${JSON.stringify(worst.map(([position]) => position))}
worst = abs(posenc.table("transformer", 512, at, recipe="f32-exp").astype(float) - posenc.table("transformer", 512, at)).max(axis=1)`;
  const made = arrays(context, code, ['exact', 'row', 'kept', 'worst']);
  const column = (at) => table.map((row) => row[at]);
  assert.deepEqual(column(0).map(Math.fround), made.exact);
  assert.deepEqual(column(1).map(Math.fround), made.row);
  assert.deepEqual([...column(2), ...column(3)].map(Math.fround), made.kept);
  worst.forEach(([, largest], i) => assert.ok(Math.abs(largest - made.worst[i]) <= 0.006 * made.worst[i], `${i}`));
});

test('distance: random vectors and T(k) PE(p) are those of Python’s lines', { skip: without_python }, async (context) => {
  const page = await new_page(context, await open(context), '#vectors=random&reach=64&p=3&k=5');
  const section = await panel(page, 'distance');
  const made = arrays(context, await lines(section, 'python'), ['scores', 'turned']);
  const drawn = columns_of(await table_of(section.locator('figure').first()), 3, 4).flat();
  assert_close(drawn, made.scores, 1e-6);
  const shift = await section
    .locator('.body > .scroll tbody tr')
    .evaluateAll((all) => all.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  const moved = columns_of(shift, 3, 5);
  assert_close([0, 1].flatMap((at) => moved.map((row) => row[at])), made.turned, 1e-6);
});
