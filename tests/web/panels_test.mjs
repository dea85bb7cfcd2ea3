// SPDX-License-Identifier: Apache-2.0
// Each panel's numbers are those of the native library: what it saves has the hash of what its own command writes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { assert_native, command_of, new_page, of_npy, open, panel, picture, saved, settled, table_of } from './browser.mjs';

/** As a shell takes a text. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The tensor that a panel saves is that of the command which it gives. */
async function assert_saved(page, section, button) {
  await settled(page);
  const { hash, shape } = of_npy(await saved(page, section, button));
  assert_native(hash, await command_of(section));
  return shape;
}

test('the signal', async (context) => {
  const opened = await open(context);
  for (const [hash, shape] of [
    ['', '128, 128'],
    ['#from=999999968&preset=whisper&d=64&rows=64', '64, 64'],
    ['#preset=rope-half&d=128&scaling=yarn&factor=16&rows=512', '512, 128'],
    ['#preset=fairseq-sinusoidal&d=33&rows=64&from=-7&p=-3', '64, 33'],
    ['#preset=rope-yarn&scaling=yarn&factor=4', '128, 128'], // another factor has another magnitude
    ['#preset=rope-yarn&scaling=linear&factor=4', '128, 128'], // and another scaling none
    ['#preset=rope-yarn&scaling=none', '128, 128'],
    ['#preset=deepseek-v3&d=64&scaling=yarn&factor=8&rows=64', '64, 64'], // gains of its own
    ['#preset=rope-llama3&rows=64', '64, 128'],
    ['#scaling=longrope&rows=256', '256, 96'],
    ['#preset=rope-half&d=128&scaling=llama3&factor=8&trained=8192', '128, 128'],
  ]) {
    const page = await new_page(context, opened, hash);
    const section = await panel(page, 'signal');
    assert.equal(await assert_saved(page, section, 'Save as table.npy'), shape, hash);
    await page.close();
  }
});

test('text to tensor', async (context) => {
  const opened = await open(context);
  for (const hash of ['', '#a=The dog bit the man.&scale=off', '#train=on&drop=0.25&seed=3']) {
    const page = await new_page(context, opened, encodeURI(hash));
    const section = await panel(page, 'text');
    await assert_saved(page, section, 'Save as tensor.npy');
    await page.close();
  }
});

test('the tokens of a text are those of the tool', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'text');
  for (const text of [
    '我爱你',
    "It's 12:30; they'll  come,   won't they?",
    'naïve café – 12½ ÷ 3 = 𝟜',
    '学而时习之，不亦说乎？',
    '\u00a0a\u3000b\u0085c  d',
    '👩‍👩‍👧 नमस्ते שלום',
  ]) {
    await section.getByLabel('First text', { exact: true }).fill(text);
    await settled(page);
    const ids = await section.locator('.tokens').first().locator('small').allTextContents();
    assert_native(ids.join(' '), `posenc tokens --text ${quoted(text)}`);
  }
});

test('without positions the two sentences have the same weights, with them others', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'text');
  await section.scrollIntoViewIfNeeded();
  const told = await section.locator('p.summary').last().textContent();
  const [without, placed] = /at most (\S+) apart without positions, (\S+) with/.exec(told).slice(1).map(Number);
  assert.ok(without < 1e-6, told);
  assert.ok(placed > 0.1, told);
  await page.screenshot({ path: picture('text'), fullPage: true });
});

test('the number under the pointer is told to the last bit', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#d=64&p=1&i=0');
  const section = await panel(page, 'signal');
  const told = async () => (await section.locator('.readout dd').allTextContents()).slice(0, 3);
  assert.deepEqual(await told(), ['position 1, column 0', '0.84147096', '0x3f576aa4']); // sin 1
  await section.locator('.heat').press('ArrowRight');
  await settled(page);
  assert.deepEqual(await told(), ['position 1, column 1', '0.5403023', '0x3f0a5140']); // cos 1
});

test('the second text’s maps stand in the first one’s order, and outline what differs', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, encodeURI('#a=The dog bit the man&b=The man bit the dog'));
  const section = await panel(page, 'text');
  const maps = section.locator('.pair figure');
  const rows = [];
  for (let i = 0; i < 4; ++i) rows.push(await table_of(maps.nth(i)));
  const names = (i) => rows[i].map(([name]) => name);
  for (const i of [1, 2, 3]) assert.deepEqual(names(i), names(0));
  assert.deepEqual(rows[1], rows[0]); // four decimals
  const marks = [];
  for (let i = 0; i < 4; ++i) marks.push(await maps.nth(i).locator('.marks rect').count());
  const apart = rows[2].flatMap((row, q) => row.slice(1).filter((each, k) => Math.abs(each - rows[3][q][k + 1]) > 0.005));
  assert.deepEqual(marks, [0, 0, 0, apart.length]);
  assert.ok(apart.length > 10);
  const said = (i) => maps.nth(i).locator('.summary').textContent();
  assert.match(await said(1), / 0 of \d+ weights differ from the first text’s by more than 0\.005\./);
  assert.match(await said(3), new RegExp(` ${apart.length} of \\d+ weights differ .*outlined`));
});

test('names under a map do not run together', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, encodeURI('#a=The dog bit the man extraordinarily&b=The man bit the dog'));
  const section = await panel(page, 'text');
  for (const figure of await section.locator('.pair figure').all()) {
    const boxes = await figure
      .locator('svg text[text-anchor=middle]')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
    for (const a of boxes) {
      for (const b of boxes) assert.ok(a === b || a.top !== b.top || a.right < b.left || b.right < a.left, JSON.stringify([a, b]));
    }
  }
});
