// SPDX-License-Identifier: Apache-2.0
// Images: what the panel says of larger grids is what their numbers say.
import assert from 'node:assert/strict';
import test from 'node:test';

import { new_page, open, panel, table_of } from './browser.mjs';

/** The mean of the cells around the marked one of a picture's table, whose first column names the row. */
async function around(figure, row, column) {
  const cells = (await table_of(figure)).map((line) => line.slice(1).map((text) => Number(text.replace('−', '-'))));
  const found = [
    [-1, 0],
    [1, 0],
    [0, -1],
    [0, 1],
  ].flatMap(([down, right]) => cells[row + down]?.[column + right] ?? []);
  return found.reduce((sum, each) => sum + each, 0) / found.length;
}

for (const [grid, relation, means] of [
  ['mae-2d', ['as alike', 'more alike'], /made anew it keeps the step/],
  ['detr-sine', ['more alike', 'more alike'], /divides places by the size of the image/],
  ['grounding-dino-sine', ['more alike', 'more alike'], /divides places by the size of the image/],
]) {
  for (const [row, column] of [
    [4, 9],
    [0, 13],
  ]) {
    test(`${grid}, row ${row}, column ${column}: what is said of neighbours is so`, async (context) => {
      const page = await new_page(context, await open(context), `#grid=${grid}&row=${row}&column=${column}`);
      const section = await panel(page, 'images');
      const figures = section.locator('figure:has(.heat)');
      const before = await around(figures.nth(0), row, column);
      for (const [i, expected] of relation.entries()) {
        const figure = figures.nth(i + 1);
        const said = await figure.locator('.summary').first().textContent();
        const [, words, here, there] = /are (\w+ alike) to it .*: ([\d.]+) on average, ([\d.]+) in/.exec(said);
        assert.ok(Math.abs(Number(here) - (await around(figure, 2 * row, 2 * column))) < 1.5e-4, said);
        assert.ok(Math.abs(Number(there) - before) < 1.5e-4, said);
        if (row > 0) assert.equal(words, expected);
        assert.equal(words, here === there ? 'as alike' : here > there ? 'more alike' : 'less alike');
      }
      assert.match(await section.locator('.means').textContent(), means);
    });
  }
}
