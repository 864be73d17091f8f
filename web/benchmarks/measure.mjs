/**
 * How long the page takes in Chromium with software rendering: `node measure.mjs ADDRESS ROUNDS PID`, as JSON.
 *
 * `benchmarks/explorer.py` starts the server, whose process is PID, and prints what this finds.
 */
import { chromium } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';

const [address, rounds, serving] = [process.argv[2], Number(process.argv[3] ?? 3), Number(process.argv[4])];
const server = await chromium.launchServer({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const browser = await chromium.connect(server.wsEndpoint());

/** Milliseconds of processor time of the server and of all processes of the browser; Linux counts them. */
function processorTime() {
  const times = new Map();
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of a program may hold spaces; what follows its closing bracket does not.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ');
      parents.set(Number(name), Number(fields[1]));
      times.set(
        Number(name),
        fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
      );
    } catch {
      // It has ended meanwhile.
    }
  }
  const own = (pid) =>
    pid === serving || pid === server.process().pid || (parents.get(pid) > 1 && own(parents.get(pid)));
  return 10 * [...times].reduce((sum, [pid, ticks]) => sum + (own(pid) ? ticks : 0), 0);
}

/** A page of its own, so that nothing is in a cache. */
async function visit(hash, act) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.tasks.push(Math.round(entry.duration));
    }).observe({ type: 'longtask', buffered: true });
  });
  const before = processorTime();
  await page.goto(address + hash, { waitUntil: 'commit' });
  const found = await act(page, () => processorTime() - before);
  await page.close();
  return found;
}

async function firstPaint(page, worked) {
  await page.locator('h1').first().waitFor();
  const ready = await page.evaluate(() => performance.now());
  // The entry comes a little after the picture.
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length);
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
  );
  return { paint, ready, work: worked() };
}

/** From the first byte to a picture with all points, then the time of a frame while the map moves. */
async function map(page, worked) {
  await page.getByText(/of the variance across/).waitFor({ timeout: 120_000 });
  const drawn = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    return performance.now();
  });
  const work = worked();
  const moved = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const canvas = document.querySelector('canvas.overlay');
    const [begun, frames] = [performance.now(), 20];
    for (let at = 0; at < frames; at++) {
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: at % 2 ? 'ArrowLeft' : 'ArrowRight' }));
      await frame();
      // Wait until the points of this frame are drawn, not only asked for.
      const gl = document.querySelector('canvas').getContext('webgl2');
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return (performance.now() - begun) / frames;
  });
  return { drawn, work, frame: moved };
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
await server.close();
console.log(JSON.stringify(found));
