// SPDX-License-Identifier: Apache-2.0
// On paper: every panel is drawn, dark on white, and nothing is cut off at the right.
import assert from 'node:assert/strict';
import test from 'node:test';

import { new_page, open, panel, picture, settled } from './browser.mjs';

const a4 = 794; // CSS pixels
const ids = ['text', 'signal', 'distance', 'precision', 'which', 'images'];

/** A page in the dark that was not scrolled, and that is laid out for paper as a browser does it: no script runs then. */
async function on_paper(context, prepare = async () => {}) {
  const opened = await open(context);
  const page = await new_page(context, opened, '', { colorScheme: 'dark' });
  await prepare(page);
  for (const id of ids.filter((each) => each !== 'which'))
    await page.waitForSelector(`section#${id}[data-drawn]:not([data-stale])`, { state: 'attached' });
  await settled(page);
  await page.pdf({ path: picture('paper').replace('.png', '.pdf'), format: 'A4' });
  await page.evaluate(() => {
    for (const stage of document.querySelectorAll('.stage')) {
      const still = stage.cloneNode(true); // no observer of sizes has it
      still.querySelectorAll('canvas').forEach((copy, i) => {
        copy.getContext('2d').drawImage(stage.querySelectorAll('canvas')[i], 0, 0);
      });
      stage.replaceWith(still);
    }
  });
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: a4, height: 1123 });
  return page;
}

test('panels that were never seen are drawn, but for the one that waits for the referee, which says so', async (context) => {
  const page = await on_paper(context);
  for (const id of ids) {
    const section = page.locator(`section#${id}`);
    assert.equal(await section.locator('.unprinted').isVisible(), id === 'which', id);
    if (id !== 'which') assert.ok((await section.locator('.stage svg > *').count()) > 20, id);
  }
  await page.screenshot({ path: picture('paper'), fullPage: true });
});

test('a change is on paper before it was seen', async (context) => {
  const page = await on_paper(context, async (made) => {
    await made.locator('section#images[data-drawn]').waitFor({ state: 'attached' });
    await made.evaluate(() => {
      location.hash = '#grid=detr-sine&p=3';
    });
  });
  assert.match(await page.locator('#images .make code').first().textContent(), /--preset detr-sine/);
});

test('dark is for screens alone', async (context) => {
  const page = await on_paper(context);
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  const [ink, text] = await page.evaluate(() => [
    getComputedStyle(document.body).color,
    getComputedStyle(document.querySelector('#signal .stage text')).fill,
  ]);
  for (const colour of [ink, text]) {
    const parts = colour.match(/\d+/g).map(Number);
    assert.ok(
      parts.every((part) => part < 128),
      colour,
    );
  }
});

test('nothing is cut off at the right, and cells stay below their axes', async (context) => {
  const page = await on_paper(context);
  const over = await page.evaluate(() =>
    Array.from(document.querySelectorAll('.stage > svg, .stage > canvas, .scroll > table'), (each) => ({
      right: each.getBoundingClientRect().right,
      stage: each.parentElement.getBoundingClientRect().right,
    })).filter(({ right, stage }) => right > stage + 0.5),
  );
  assert.deepEqual(over, []);
  const frames = await page.evaluate(() =>
    Array.from(document.querySelectorAll('.heat'), (stage) => {
      const box = (each) => each.getBoundingClientRect();
      const [canvas, frame] = [box(stage.querySelector('canvas')), box(stage.querySelector('svg rect'))];
      return ['left', 'right', 'top', 'bottom'].map((side) => Math.abs(canvas[side] - frame[side]));
    }).flat(),
  );
  assert.equal(frames.length, 4 * 9);
  assert.ok(Math.max(...frames) < 2, `${Math.max(...frames)}`);
});

test('Ctrl+P waits until every panel is drawn', async (context) => {
  const page = await new_page(context, await open(context));
  await panel(page, 'text');
  await page.evaluate(() => {
    globalThis.print = () => {
      globalThis.printed = document.querySelectorAll('section[data-drawn]:not([data-stale])').length;
    };
  });
  await page.keyboard.press('Control+p');
  await page.waitForFunction(() => globalThis.printed !== undefined);
  assert.equal(await page.evaluate(() => globalThis.printed), ids.length);
});
