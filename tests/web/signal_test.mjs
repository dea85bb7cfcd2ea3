// SPDX-License-Identifier: Apache-2.0
// The signal's ladder and clocks: how many there are, and their numbers.
import assert from 'node:assert/strict';
import test from 'node:test';

import { new_page, open, panel } from './browser.mjs';

test('every pair has a clock, or the summary says how many are shown', async (context) => {
  const opened = await open(context);
  for (const [hash, pairs, shown] of [
    ['', 64, 64],
    ['#d=130', 65, 64],
    ['#d=512&i=7', 256, 65], // pair 3 of the cursor is not among 64 that stand evenly
  ]) {
    const page = await new_page(context, opened, hash);
    const figure = (await panel(page, 'signal')).locator('figure').nth(2);
    assert.equal(await figure.locator('g[data-pair]').count(), shown);
    const told = await figure.locator('.summary').first().textContent();
    assert.equal(told.includes(`${shown} of ${pairs} clocks shown`), shown < pairs, told);
    await page.close();
  }
});
