// SPDX-License-Identifier: Apache-2.0
// Makes the README's picture of the page: the controls of the signal and every entry of its table.
//
// Usage: node tests/web/readme_picture.mjs    after ./dev page has built it
import { join } from 'node:path';

import { open, panel, root, settled } from './browser.mjs';

const ends = [];
const opened = await open({ after: (end) => ends.push(end) });
const page = await opened.browser.newPage({
  viewport: { width: 1200, height: 1080 },
  locale: 'en-US',
  reducedMotion: 'reduce', // else it scrolls smoothly, and the picture shows where it has got to
});
await page.goto(`${opened.url}#theme=light`);
const section = await panel(page, 'signal');
// The bar of the cursor covers what a reader can scroll away: on a picture it would cut the panel before this one.
await page.addStyleTag({ content: 'html { scroll-padding-top: 1rem } .bar { position: static } .page > nav { top: 0 }' });
await section.evaluate((each) => each.scrollIntoView());
await settled(page);
await page.screenshot({ path: join(root, 'docs/pictures/page.png') });
for (const end of ends) await end();
