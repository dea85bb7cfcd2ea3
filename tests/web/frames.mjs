// SPDX-License-Identifier: Apache-2.0
// How often the panel of the signal is drawn in a second while its first position moves with every frame, and what a frame
// costs the page's own thread: other work of the machine takes frames, not these milliseconds. Ends with 1 below
// the floor.
//
// Usage: node tests/web/frames.mjs    after ./dev page has built it
import { open, panel } from './browser.mjs';

const seconds = 4;
const floor = 30; // tables a second: half of what a machine without other work draws
const parts = { Task: 'in all', Script: 'scripts', Layout: 'layout', RecalcStyle: 'style' };

/** Runs in the page: moves the slider with every frame. */
const moved = (length) =>
  new Promise((done) => {
    const range = document.querySelector('#signal .dial input[type=range]');
    const section = document.querySelector('#signal');
    const drawn = () => Number(section.dataset.drawn);
    const before = drawn();
    const start = performance.now();
    let frames = 0;
    const step = (now) => {
      range.value = String(600 + (++frames % 400));
      range.dispatchEvent(new Event('input'));
      if (now - start < 1000 * length) return requestAnimationFrame(step);
      return done({ frames, tables: drawn() - before, took: (now - start) / 1000 });
    };
    requestAnimationFrame(step);
  });

const ends = [];
const opened = await open({ after: (end) => ends.push(end) });
for (const size of [128, 512]) {
  const page = await opened.browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${opened.url}#d=${size}&rows=${size}`);
  await panel(page, 'signal');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const costs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.keys(parts).map((part) => metrics.find(({ name }) => name === `${part}Duration`).value);
  };
  const before = await costs();
  const { frames, tables, took } = await page.evaluate(moved, seconds);
  const after = await costs();
  const spent = after.map((each, i) => ((each - before[i]) * 1000) / frames);
  if (tables / took < floor) process.exitCode = 1;
  const told = Object.values(parts).map((name, i) => `${spent[i].toFixed(1)} ${name}`);
  console.log(
    `[${size}, ${size}]: ${(frames / took).toFixed(1)} frames and ${(tables / took).toFixed(1)} tables a second; ` +
      `ms a frame: ${told.join(', ')}`,
  );
  await page.close();
}
for (const end of ends) await end();
