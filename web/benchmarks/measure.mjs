/**
 * How long the page takes in Chromium with software rendering: `node measure.mjs ADDRESS ROUNDS`, as JSON.
 *
 * `benchmarks/explorer.py` starts the server and prints what this finds.
 */
import { chromium } from '@playwright/test';

const [address, rounds] = [process.argv[2], Number(process.argv[3] ?? 3)];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});

/** A page of its own, so that nothing is in a cache. */
async function visit(hash, act) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.tasks.push(Math.round(entry.duration));
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(address + hash, { waitUntil: 'commit' });
  const found = await act(page);
  await page.close();
  return found;
}

async function firstPaint(page) {
  await page.locator('h1').first().waitFor();
  return page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    ready: performance.now(),
  }));
}

/** From the first byte to a picture with all points, then the time of a frame while the map moves. */
async function map(page) {
  await page.getByText(/of the variance across/).waitFor({ timeout: 120_000 });
  return page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    const drawn = performance.now();
    const canvas = document.querySelector('canvas.overlay');
    const [begun, frames] = [performance.now(), 20];
    for (let at = 0; at < frames; at++) {
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: at % 2 ? 'ArrowLeft' : 'ArrowRight' }));
      await frame();
      // Wait until the points of this frame are drawn, not only asked for.
      const gl = document.querySelector('canvas').getContext('webgl2');
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return { drawn, frame: (performance.now() - begun) / frames };
  });
}

/** A megabyte of text in Cut: until it is cut, and the longest time in which the page does not listen. */
async function paste(page) {
  await page.locator('h1').first().waitFor();
  const text = 'the doctor saw the patient at the hospital '.repeat(24_000);
  const begun = Date.now();
  await page.getByRole('textbox', { name: 'Text' }).evaluate((box, value) => {
    window.tasks.length = 0;
    box.value = value;
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
  await page.getByText(/of 1,032,000/).waitFor({ timeout: 60_000 });
  const cut = Date.now() - begun;
  await page.waitForTimeout(300);
  const pasting = await page.evaluate(() => Math.max(0, ...window.tasks.splice(0)));
  await page.getByRole('slider').focus();
  for (let at = 0; at < 20; at++) await page.keyboard.press('PageUp');
  await page.waitForTimeout(300);
  const scrolling = await page.evaluate(() => Math.max(0, ...window.tasks.splice(0)));
  return { cut, pasting, scrolling };
}

const found = { paint: [], map: [], paste: [] };
for (let round = 0; round < rounds; round++) {
  found.paint.push(await visit('#/tour', firstPaint));
  found.map.push(await visit('#/map', map));
  found.paste.push(await visit('#/cut', paste));
}
await browser.close();
console.log(JSON.stringify(found));
