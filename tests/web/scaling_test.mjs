// SPDX-License-Identifier: Apache-2.0
// The signal: what is shown is what was asked for, or it is said in place what is shown instead.
import assert from 'node:assert/strict';
import test from 'node:test';

import { command_of, new_page, open, panel, settled } from './browser.mjs';

const told = (section) =>
  section
    .locator('.body > p.summary')
    .filter({ hasText: /^Shown is|^LongRoPE/ })
    .textContent();

test('the first position is the reader’s own, wherever the cursor goes', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#from=40&rows=64&p=1000');
  const section = await panel(page, 'signal');
  assert.match(await command_of(section), /--positions 40:104 /);
  assert.match(await section.textContent(), /The cursor is at position 1,000, outside the positions shown/);
  assert.equal(await section.locator('.readout dd').first().textContent(), 'position 1,000, column 20');
  await section.getByRole('button', { name: 'Begin at the cursor' }).click();
  await settled(page);
  assert.match(await command_of(section), /--positions 1000:1064 /);
  await page.locator('.bar').getByLabel('Position', { exact: true }).first().press('End');
  await settled(page);
  assert.match(await command_of(section), /--positions 1000:1064 /);
});

test('a table must end where positions end, and says so', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#from=9223372036854775807&rows=64');
  const section = await panel(page, 'signal');
  assert.match(await section.locator('.said').textContent(), /first one is at most 9,223,372,036,854,775,743/);
});

test('a scaling says which fields it replaced, and the magnitude goes with it', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#preset=rope-yarn');
  const section = await panel(page, 'signal');
  assert.match(await told(section), /rope-yarn as it is: ladder.scaling yarn, .*factor 16, .*multiplied by 1\.27726/);
  await section.getByLabel('Scaling for long contexts').selectOption('yarn');
  await settled(page);
  // 1 + 0.1 ln 4
  assert.match(await told(section), /changed: ladder.scaling.factor 4, not 16, magnitude.factor 4, not 16\. Kept: /);
  assert.match(await told(section), /multiplied by 1\.13863/);
  await section.getByLabel('Scaling for long contexts').selectOption('none');
  await settled(page);
  assert.match(await told(section), /ladder.scaling none, not yarn, magnitude 1, not yarn.*multiplied by 1\./);
  await section.getByLabel('Scaling for long contexts').selectOption('longrope');
  await settled(page);
  assert.match(
    await told(section),
    /in place of rope-yarn, width 128, the whole of rope-longrope is shown, head width 96/,
  );
});

test('the clock of the cursor is always there, and marked', async (context) => {
  const opened = await open(context);
  for (const [column, pair] of [
    [20, 10],
    [22, 11],
    [1001, 500],
  ]) {
    const page = await new_page(context, opened, `#d=1024&rows=64&i=${column}`);
    const section = await panel(page, 'signal');
    assert.equal(await section.locator(`g[data-pair="${pair}"] .cursor`).count(), 1, String(pair));
    await page.close();
  }
});

test('a column beyond a table is said to be', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#i=600&d=64&rows=64');
  for (const [id, columns] of [
    ['signal', '64'],
    ['text', '512'],
    ['precision', '512'],
    ['distance', '128'],
  ]) {
    const section = await panel(page, id);
    assert.match(await section.textContent(), new RegExp(`beyond this table’s ${columns} columns`), id);
  }
});

test('a convention is found by a model’s name', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'signal');
  const search = section.getByLabel('Convention: or by a model’s name');
  await search.fill('llama-3.1');
  await search.press('Enter');
  await settled(page);
  assert.equal(await section.getByLabel('Convention', { exact: true }).inputValue(), 'rope-llama3');
  assert.equal(await section.getByLabel('Head width').inputValue(), '128');
  await search.fill('t5');
  await search.press('Enter');
  assert.match(await section.textContent(), /t5 is t5-bucket, which is not in this list/);
  await search.fill('no such model');
  await search.press('Enter');
  assert.match(await section.textContent(), /No convention is called no such model/);
  const listed = await section.locator('datalist option').evaluateAll((options) => options.map(({ value }) => value));
  assert.ok(listed.includes('yarn-llama') && !listed.includes('alibi'));
});

test('a scaling shows how many pairs leave what training showed, and how many turn more slowly', async (context) => {
  const opened = await open(context);
  // By the definitions of the scalings, of 64 pairs of base 10000, from 4,096 tokens to 32,768.
  for (const [scaling, unmet, slower] of [
    ['none', 18, undefined],
    ['linear', 0, 64],
    ['ntk', 17, 63],
    ['yarn', 0, 43],
  ]) {
    const page = await new_page(context, opened, `#preset=rope-half&scaling=${scaling}&factor=8&trained=4096&long=32768`);
    const section = await panel(page, 'signal');
    const said = await section.locator('figure .summary').nth(1).textContent();
    assert.match(said, new RegExp(`In 32,768 tokens ${unmet} of 64 pairs reach angles that training on 4,096 has not shown`));
    assert.equal(/(\d+) turn more slowly/.exec(said)?.[1], slower?.toString());
    assert.equal(await section.locator('g[data-pair] circle[stroke-dasharray]').count(), unmet);
    await page.close();
  }
});

test('what is kept of a convention is said in one sentence', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#scaling=linear');
  assert.match(await told(await panel(page, 'signal')), /factor 4\. All else is kept\.$/);
});
