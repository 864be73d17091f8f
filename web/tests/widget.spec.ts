/** The module that a notebook loads, shown by a page that plays the notebook: its kernel is the test's server. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cuts, Neighbors } from '../src/lib/types';
import { expect, test, type Explorer } from './explorer';

const folder = path.dirname(fileURLToPath(import.meta.url));
const script = path.join(folder, '../../python/textgrain/explorer/static/widget.js');

/** What the page does in place of a notebook: a model with the few methods that anywidget gives it. */
function show([view, settings, places]: [string, Record<string, string>, number]): void {
  type Listener = (content: object, buffers: DataView[]) => void;
  const listeners: Listener[] = [];
  const kept: Record<string, unknown> = { view, settings };
  const model = {
    get: (name: string) => kept[name],
    set: (name: string, value: unknown) => (kept[name] = value),
    save_changes: () => {},
    on: (_: string, listener: Listener) => listeners.push(listener),
    off: (_: string, listener: Listener) => listeners.splice(listeners.indexOf(listener), 1),
    send: async (content: { id: string; question: string; fields: object }) => {
      const [reply, bytes] = await (window as unknown as Kernel).asked(content.question, content.fields);
      const buffers = bytes ? [new DataView(Uint8Array.from(bytes).buffer)] : [];
      for (const listener of [...listeners]) listener({ id: content.id, ...reply }, buffers);
    },
  };
  interface Kernel {
    asked(question: string, fields: object): Promise<[object, number[] | null]>;
  }
  Object.assign(window, { kept, listeners });
  void import('/widget.js' as string).then((module: { default: { render(context: object): () => void } }) => {
    const closers = Array.from({ length: places }, () => {
      const el = document.body.appendChild(document.createElement('section'));
      return module.default.render({ model, el });
    });
    Object.assign(window, { closers });
  });
}

async function notebook(
  page: Page,
  explorer: Explorer,
  view: string,
  settings: Record<string, string>,
  places = 1,
): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.exposeFunction('asked', async (question: string, fields: object) => {
    const answer = await explorer.send(question, fields);
    if (answer.headers.get('content-type')?.includes('octet')) {
      return [{}, [...new Uint8Array(await answer.arrayBuffer())]];
    }
    const found = (await answer.json()) as { error?: string };
    return [answer.ok ? { answer: found } : found, null];
  });
  await page.route('http://notebook.test/**', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: readFileSync(script, 'utf8') })
      : route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><html lang="en"><title>Notebook</title><style>
            body { background: #111; color: red; font: 30px serif } button { background: lime; width: 300px }
          </style><main></main>`,
        }),
  );
  await page.goto('http://notebook.test/');
  await page.evaluate(show, [view, settings, places] as [string, Record<string, string>, number]);
  await expect(page.locator('h1').first()).toBeVisible();
  return complaints;
}

test('cut in a cell shows what the engine says', async ({ page, explorer }) => {
  const text = 'the doctor 😀';
  const complaints = await notebook(page, explorer, 'cut', { text, tokenizers: 'small' });
  const cuts = await explorer.ask<Cuts>('cut', { text, tokenizers: ['small'] });
  const row = page.getByRole('region', { name: `small, ${cuts.tokenizers[0]!.count} tokens` });
  await expect(row.getByRole('button')).toHaveCount(cuts.tokenizers[0]!.count);
  await row.getByRole('button', { name: /doctor/ }).click();
  await expect(page.locator('.tree')).toContainText('merge');
  await page.getByRole('textbox', { name: 'Text' }).fill('hospital');
  await expect(page.getByRole('region', { name: /^words, 1 / })).toContainText('hospital');
  const kept = await page.evaluate(() => (window as unknown as { kept: { settings: object } }).kept.settings);
  expect(kept).toMatchObject({ text: 'hospital' });
  expect(complaints).toEqual([]);
});

test('the styles of a notebook and of a cell leave each other alone', async ({ page, explorer }) => {
  await notebook(page, explorer, 'cut', { text: 'the doctor', tokenizers: 'small' });
  const looks = await page.evaluate(() => {
    const host = document.querySelector('[data-theme]')!;
    const chip = host.shadowRoot!.querySelector('button')!;
    return {
      theme: host.getAttribute('data-theme'),
      chip: getComputedStyle(chip).backgroundColor,
      body: getComputedStyle(document.body).fontFamily,
      suppressed: host.hasAttribute('data-lm-suppress-shortcuts'),
    };
  });
  expect(looks).toMatchObject({ theme: 'dark', body: 'serif', suppressed: true });
  expect(looks.chip).not.toBe('rgb(0, 255, 0)');
});

test('the map in a cell has the true neighbors, as often as it is shown', async ({ page, explorer }) => {
  const complaints = await notebook(page, explorer, 'map', { word: 'doctor', vectors: 'wards' }, 2);
  const near = await explorer.ask<Neighbors>('space/neighbors', { vectors: 'wards', word: 'doctor' });
  const cards = page.getByRole('region', { name: 'Neighbors of doctor' });
  await expect(cards).toHaveCount(2);
  for (const card of await cards.all()) {
    await expect(card.locator('table').first().locator('tbody tr td:first-child')).toHaveText(
      near.cosine.map((each) => each.word),
    );
  }
  await page.screenshot({ path: 'test-results/pictures/cell-map.png', fullPage: true });
  await page.evaluate(() => {
    for (const close of (window as unknown as { closers: (() => void)[] }).closers) close();
  });
  await expect(page.locator('h1')).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { listeners: unknown[] }).listeners.length)).toBe(0);
  expect(complaints).toEqual([]);
});

test('a word without a vector is answered with the reason', async ({ page, explorer }) => {
  await notebook(page, explorer, 'map', { vectors: 'wards' });
  await page.getByLabel('Find a word').fill('zebra');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('alert')).toContainText('zebra');
  const found = await new AxeBuilder({ page }).disableRules(['region', 'landmark-one-main']).analyze();
  const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id }) => id)).toEqual([]);
});
