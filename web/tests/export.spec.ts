/** The file that `export_html` writes: opened from the disk, without a server and without a network. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { Cuts, LessonState, Neighbors } from '../src/lib/types';
import { expect, test } from './explorer';

const text = 'the doctor has a fever 😀';

test.beforeEach(async ({ page, context }) => {
  await context.setOffline(true);
  page.on('request', (request) => expect(request.url()).toMatch(/^(file|data|blob):/));
});

async function open(page: Page, file: string, hash: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${file}${hash}`);
  await expect(page.locator('h1').first()).toBeVisible();
  return complaints;
}

test('cut and its trees are those of the engine', async ({ page, explorer }) => {
  const complaints = await open(page, explorer.file, '');
  const cuts = await explorer.ask<Cuts>('cut', { text, tokenizers: ['small'] });
  const row = page.getByRole('region', { name: `small, ${cuts.tokenizers[0]!.count} tokens` });
  await expect(row.getByRole('button')).toHaveCount(cuts.tokenizers[0]!.count);
  await page.getByLabel('show ids').check();
  await expect(row.locator('.id')).toHaveText(cuts.tokenizers[0]!.ids.map(String));
  await row.getByRole('button', { name: /doctor/ }).click();
  await expect(page.locator('.tree')).toContainText('merge');
  await page.getByRole('combobox', { name: 'Text' }).selectOption({ index: 1 });
  await expect(page.getByRole('region', { name: /^words/ })).toContainText('<b>the</b>');
  expect(await page.locator('main b').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('learn replays the lessons', async ({ page, explorer }) => {
  const complaints = await open(page, explorer.file, '#/learn?step=2');
  const pairs = page.getByRole('region', { name: /Pairs/ });
  await expect(pairs).toContainText('L + L');
  await page.getByRole('button', { name: 'one step on' }).click();
  await expect(page.getByRole('region', { name: 'The vocabulary' })).toContainText('LL');
  await page.getByText('Corpus:').click();
  await page.getByRole('combobox', { name: 'Start from' }).selectOption('Forty medical words');
  const { lesson } = await explorer.ask<{ lesson: number }>('learn/train', {
    words: { low: 5, lower: 2, newest: 6, widest: 3 },
    merges: 10,
    end_of_word: '</w>',
  });
  const state = await explorer.ask<LessonState>('learn/state', { lesson, step: 0 });
  await page.getByRole('combobox', { name: 'Start from' }).selectOption('Four words, with a mark at the end');
  await expect(pairs.locator('tr.winner')).toContainText(`${state.next!.left} + ${state.next!.right}`);
  await page.getByRole('button', { name: 'A trained tokenizer' }).click();
  await expect(page.getByRole('heading', { name: /merges and why each was made/ })).toBeVisible();
  await expect(page.locator('.u-wrap canvas')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the map has the true neighbors of its words', async ({ page, explorer }) => {
  const complaints = await open(page, explorer.file, '#/map?word=doctor');
  const near = await explorer.ask<Neighbors>('space/neighbors', { vectors: 'wards', word: 'doctor', n: 10 });
  const card = page.getByRole('region', { name: 'Neighbors of doctor' });
  for (const [at, list] of [near.cosine, near.euclidean].entries()) {
    const rows = card.locator('table').nth(at).locator('tbody tr');
    await expect(rows.locator('td:first-child')).toHaveText(list.map((each) => each.word));
    await expect(rows.locator('td:nth-child(2)')).toHaveText(list.map((each) => each.score.toFixed(3)));
  }
  await card.getByRole('button', { name: /three times as long/ }).click();
  await expect(card).toContainText('the direction is the same');
  await expect(page.getByText(/The 20 most frequent of \d+ words/)).toBeVisible();
  await page.getByLabel('Find a word').fill('zebra');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('alert')).toContainText('not among the 20 words');
  expect(complaints).toEqual([]);
});

test('numbers, distances, apply and the tour stand in the file; training does not', async ({
  page,
  explorer,
}) => {
  const complaints = await open(page, explorer.file, '#/numbers');
  await expect(page.getByRole('heading', { name: /E: a row for each of 300 tokens/ })).toBeVisible();
  await page.getByLabel('find').fill('patient');
  await expect(page.locator('.entry').first()).toContainText('pat');
  await page.goto(`${explorer.file}#/distances?dimension=2`);
  await expect(page.getByRole('region', { name: 'Distances of random points' })).toContainText('91.05 times');
  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('region', { name: 'Distances of random points' })).toContainText(
    '1,000 numbers',
  );
  await page.goto(`${explorer.file}#/apply`);
  await page.getByRole('button', { name: 'to the start' }).click();
  await expect(page.locator('.big .piece').first()).toBeVisible();
  await page.goto(`${explorer.file}#/tour?step=9`);
  await expect(page.getByText('Your tokenizer small has 300 tokens')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Train', exact: true })).toHaveCount(0);
  await expect(page.getByText(/nothing is sent anywhere/)).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the file allows no script but its own', async ({ page, explorer }) => {
  await open(page, explorer.file, '');
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = 1';
    document.body.append(script);
    return 'intruder' in window;
  });
  expect(ran).toBe(false);
  const fetched = await page.evaluate(() =>
    fetch('https://example.org').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  expect(fetched).toBe('refused');
});

for (const view of ['cut', 'map', 'learn']) {
  test(`${view} in a file has no serious accessibility finding`, async ({ page, explorer }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, explorer.file, `#/${view}${view === 'map' ? '?word=doctor' : ''}`);
    await page.waitForTimeout(500);
    const found = await new AxeBuilder({ page }).analyze();
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id }) => id)).toEqual([]);
    await page.screenshot({ path: `test-results/pictures/file-${view}.png`, fullPage: true });
  });
}
