// SPDX-License-Identifier: Apache-2.0
// How often the panel of the signal is drawn in a second while its position moves with every frame.
//
// Usage: node tests/web/frames.mjs    after ./dev page has built it
import { open, panel } from './browser.mjs';

const ends = [];
const opened = await open({ after: (end) => ends.push(end) });
for (const size of [128, 512]) {
  const page = await opened.browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${opened.url}#d=${size}&rows=${size}`);
  await panel(page, 'signal');
  const measured = await page.evaluate(
    () =>
      new Promise((done) => {
        const range = document.querySelector('.bar input[type=range]');
        const section = document.querySelector('#signal');
        const drawn = () => Number(section.dataset.drawn);
        const before = drawn();
        const start = performance.now();
        let frames = 0;
        const step = (now) => {
          range.value = String(600 + (++frames % 400)); // behind 512 the window of positions moves each time
          range.dispatchEvent(new Event('input'));
          if (now - start < 4000) return requestAnimationFrame(step);
          const seconds = (now - start) / 1000;
          return done({ frames: frames / seconds, drawn: (drawn() - before) / seconds });
        };
        requestAnimationFrame(step);
      }),
  );
  console.log(
    `[${size}, ${size}]: ${measured.frames.toFixed(1)} frames and ${measured.drawn.toFixed(1)} tables a second`,
  );
  await page.close();
}
for (const end of ends) await end();
