import AxeBuilder from '@axe-core/playwright';
import { number } from '../src/lib/text';
import type { Cuts, LessonState, Neighbors, Steps } from '../src/lib/types';
import { expect, test } from './explorer';

const views = ['tour', 'cut', 'learn', 'apply', 'numbers', 'map', 'train', 'distances'];

test('the token leaves the address and the page works after a reload', async ({ open }) => {
  const page = await open('#/cut');
  expect(page.url()).not.toContain('token=');
  await page.reload();
  await expect(page.getByRole('region', { name: /small, \d+ tokens/ })).toBeVisible();
});

test('cut shows what the engine says, and the merges of a token', async ({ open, explorer }) => {
  const page = await open('#/cut');
  const text = 'the doctor has a fever 😀';
  await page.getByRole('textbox', { name: 'Text' }).fill(text);
  const cuts = await explorer.ask<Cuts>('cut', { text, tokenizers: ['small'] });
  const tokens = cuts.tokenizers[0]!;
  const row = page.getByRole('region', { name: `small, ${tokens.count} tokens` });
  await expect(row).toBeVisible();
  await expect(row.getByRole('button')).toHaveCount(tokens.count);
  await page.getByLabel('show ids').check();
  await expect(row.locator('.id')).toHaveText(tokens.ids.map(String));
  await expect(row).toContainText(`${(tokens.count ** 2).toLocaleString('en')} attention cells`);
  await row.getByRole('button', { name: /doctor/ }).hover();
  const words = page.getByRole('region', { name: /^words/ });
  await expect(words.locator('.chip.lit')).toHaveText('doctor');
  await row.getByRole('button', { name: /doctor/ }).click();
  await expect(page.getByRole('heading', { name: /How small came to/ })).toBeVisible();
  await expect(page.locator('.tree')).toContainText('merge');
});

test('cut marks what two tokenizers do differently', async ({ open }) => {
  const page = await open('#/cut?text=hospitals&tokenizers=small|letters');
  await expect(page.locator('.chip.differs').first()).toBeVisible();
});

test('a megabyte stays in sight', async ({ open }) => {
  const page = await open('#/cut');
  await page
    .getByRole('textbox', { name: 'Text' })
    .fill('the doctor saw the patient at the hospital '.repeat(24_000));
  await expect(page.getByText(/of 1,032,000/)).toBeVisible({ timeout: 30_000 });
  expect(await page.locator('.chip').count()).toBeLessThan(8000);
  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect(page.getByText(/to 1,032,000 of 1,032,000/)).toBeVisible();
});

test('learn replays a training with the numbers of the engine', async ({ open }) => {
  const page = await open('#/learn?step=2');
  const pairs = page.getByRole('region', { name: /Pairs/ });
  await expect(pairs).toContainText('L + L');
  await expect(pairs.locator('tr.winner')).toContainText('15');
  await expect(pairs.getByText('tie', { exact: true })).toHaveCount(2);
  await page.getByRole('button', { name: 'one step on' }).click();
  await expect(page.getByRole('region', { name: 'The vocabulary' })).toContainText('LL');
  await page.getByText('Corpus:').click();
  await page.getByLabel('Words with their counts').fill('low 5\nlower 2\nnewest 6\nwidest 3');
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await expect(pairs.locator('tr.winner')).toContainText('e + s');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(page.getByText(/^[1-9]\d* of /)).toBeVisible();
  await page.getByRole('button', { name: 'Pause' }).click();
});

test('learn shows the history and the sizes of a trained tokenizer', async ({ open, explorer }) => {
  const page = await open('#/learn?what=tokenizer&tokenizer=small');
  const { records } = await explorer.ask<{ records: { reason: string; total: number }[] }>('learn/records', {
    tokenizer: 'small',
  });
  const first = page.locator('tbody tr').filter({ hasText: records[0]!.reason }).first();
  await expect(first).toContainText(records[0]!.total.toLocaleString('en'));
  await expect(page.locator('.u-wrap canvas')).toBeVisible();
});

test('learn replays a training on its corpus', async ({ open, explorer }) => {
  const page = await open('#/learn?what=tokenizer&tokenizer=small&step=7');
  await page.getByRole('button', { name: 'Count the words of notes' }).click();
  const { lesson } = await explorer.ask<{ lesson: number }>('learn/replay', {
    tokenizer: 'small',
    corpus: 'notes',
  });
  const pairs = page.getByRole('region', { name: /Pairs/ });
  await expect(pairs.locator('tr.winner')).toBeVisible();
  for (const step of [7, 8]) {
    const state = await explorer.ask<LessonState>('learn/state', { lesson, step });
    await expect(pairs.locator('tr.winner')).toContainText(number(state.next!.total));
    await expect(pairs).not.toContainText('The training counted');
    const words = page.getByRole('region', { name: /The corpus, cut/ });
    await expect(words.locator('.word')).toHaveCount(state.words.length);
    await page.getByRole('button', { name: 'one step on' }).click();
  }
});

test('apply goes through the merges of a word', async ({ open, explorer }) => {
  const page = await open('#/apply?tokenizer=small&text=the patient');
  const steps = await explorer.ask<Steps>('cut/steps', { tokenizer: 'small', text: 'the patient' });
  const piece = steps.pieces[0]!;
  await expect(page.locator('.big .piece')).toHaveText(piece.tokens);
  await page.getByRole('button', { name: 'to the start' }).click();
  await expect(page.locator('.big .piece')).toHaveText(piece.symbols);
  await page.getByRole('button', { name: 'one step on' }).click();
  await expect(page.locator('.big .piece')).toHaveText(piece.steps[0]!.tokens);
  await expect(page.locator('tr.now')).toContainText(String(piece.steps[0]!.rank));
});

test('numbers shows ids and their rows', async ({ open }) => {
  const page = await open('#/numbers?tokenizer=small&text=the patient');
  await expect(page.locator('.step').first()).toBeVisible();
  const ids = await page.locator('.step .figures').allTextContents();
  await expect(page.getByRole('heading', { name: /E: a row for each of 300 tokens/ })).toBeVisible();
  expect(ids.length).toBeGreaterThan(0);
  await page.getByLabel('find').fill('patient');
  await expect(page.locator('.entry').first()).toContainText('pat');
});

test('the map lists the true neighbors', async ({ open, explorer }) => {
  const page = await open('#/map?word=doctor');
  const near = await explorer.ask<Neighbors>('space/neighbors', { vectors: 'wards', word: 'doctor' });
  const card = page.getByRole('region', { name: 'Neighbors of doctor' });
  await expect(card.locator('table').first().locator('tbody tr td:first-child')).toHaveText(
    near.cosine.map((each) => each.word),
  );
  await expect(card.locator('table').nth(1).locator('tbody tr td:first-child')).toHaveText(
    near.euclidean.map((each) => each.word),
  );
  await card.getByRole('button', { name: /three times as long/ }).click();
  await expect(card).toContainText('the direction is the same');
  await page.getByLabel('first word').fill('doctor');
  await page.getByLabel('second word').fill('hospital');
  await page.getByLabel('third word').fill('nurse');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.locator('form ol li').first()).toBeVisible();
});

test('the map is drawn, moves by keys, and catches words in a lasso', async ({ open }) => {
  const page = await open('#/map');
  const map = page.getByRole('application');
  await expect(page.getByText(/two main directions/)).toBeVisible();
  const drawn = async (): Promise<number> =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.overlay')!;
      const data = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data;
      return data.reduce((sum, value) => sum + (value ? 1 : 0), 0);
    });
  await expect.poll(drawn).toBeGreaterThan(1000);
  const before = await drawn();
  await map.focus();
  for (let at = 0; at < 6; at++) await page.keyboard.press('+');
  await expect.poll(drawn).not.toBe(before);
  await page.keyboard.press('0');
  const box = (await map.boundingBox())!;
  await page.getByRole('button', { name: 'Lasso' }).click();
  await page.mouse.move(box.x + 2, box.y + 2);
  await page.mouse.down();
  for (const [x, y] of [
    [0.99, 0.01],
    [0.99, 0.99],
    [0.01, 0.99],
  ] as const) {
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  }
  await page.mouse.up();
  await expect(page.getByRole('region', { name: 'Words in the lasso' })).toContainText('doctor');
});

test('the map is colored by a column of the user', async ({ open }) => {
  const page = await open('#/map?color=column');
  await page.getByLabel('words and values').setInputFiles({
    name: 'groups.tsv',
    mimeType: 'text/plain',
    buffer: Buffer.from('doctor\tstaff\nnurse\tstaff\nhospital\tplace\n'),
  });
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.locator('.tools select').first().selectOption('length');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the map is arranged by UMAP in the background, or not at all', async ({ open }) => {
  const page = await open('#/map?word=doctor');
  await page.getByLabel('layout').selectOption('umap');
  await page.getByRole('button', { name: 'Arrange' }).click();
  await expect(page.getByText(/^arranging \d+ of 30$/)).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Arrange' }).click();
  await expect(page.getByText(/arranged by UMAP/)).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('region', { name: 'Neighbors of doctor' })).toBeVisible();
  await page.getByLabel('layout').selectOption('pca');
  await expect(page.getByText(/of the variance across/)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('without the library the map says how to get it', async ({ open, page }) => {
  await page.route('**/api/overview', async (route) => {
    const found = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...found, umap: false } });
  });
  await open('#/map');
  await page.getByLabel('layout').selectOption('umap');
  await expect(page.getByText("pip install 'textgrain[umap]'")).toBeVisible();
});

test('the map shows what a word is made of, also one that was never seen', async ({ open, explorer }) => {
  for (const word of ['march', 'marchers']) {
    const page = await open(`#/map?vectors=parts&word=${word}`);
    const near = await explorer.ask<Neighbors>('space/neighbors', { vectors: 'parts', word });
    const card = page.getByRole('region', { name: `Neighbors of ${word}` });
    await expect(card.locator('.part')).toHaveText(near.parts.map((part) => part.ngram));
    expect(near.parts.length).toBeGreaterThan(3);
    if (word === 'marchers') await expect(card).toContainText('not in the vocabulary');
  }
});

test('an unknown word is answered with a reason, not with silence', async ({ page, explorer }) => {
  await page.goto(`${explorer.url}#/map`);
  await page.getByLabel('Find a word').fill('zebra');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('alert')).toContainText('zebra');
});

test('distances crowd together as the dimension grows', async ({ open }) => {
  const page = await open('#/distances?dimension=2');
  const random = page.getByRole('region', { name: 'Distances of random points' });
  await expect(random).toContainText('91.05 times');
  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect(random).toContainText('1,000 numbers each');
  await expect(random).not.toContainText('91.05');
});

test('the tour has nine steps and ends on the own model', async ({ open }) => {
  const page = await open('#/tour');
  for (let step = 1; step <= 9; step++) {
    await expect(page.getByText(`Step ${step} of 9`)).toBeVisible();
    await expect(page.locator('article p').nth(1)).not.toBeEmpty();
    if (step < 9) await page.getByRole('button', { name: 'Next' }).click();
  }
  await expect(page.getByText('Your tokenizer small has 300 tokens')).toBeVisible();
  await expect(page.getByText(/Your vectors wards hold/)).toBeVisible();
});

test('user text is never markup', async ({ open }) => {
  const page = await open('#/cut');
  const text = '<img src=x onerror="document.title=1"><b>bold</b>';
  await page.getByRole('textbox', { name: 'Text' }).fill(text);
  await expect(page.getByRole('region', { name: /^words/ })).toContainText('<b>bold</b>');
  expect(await page.locator('main img, main b').count()).toBe(0);
});

for (const scheme of ['light', 'dark'] as const) {
  for (const view of views) {
    test(`${view} has no serious accessibility finding (${scheme})`, async ({ open, page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await open(`#/${view}${view === 'map' ? '?word=doctor' : ''}`);
      await page.waitForTimeout(800);
      const found = await new AxeBuilder({ page }).analyze();
      const serious = found.violations.filter(
        (each) => each.impact === 'serious' || each.impact === 'critical',
      );
      expect(serious.map((each) => `${each.id}: ${each.nodes.map((node) => node.target).join(' ')}`)).toEqual(
        [],
      );
      await page.screenshot({ path: `test-results/pictures/${view}-${scheme}.png`, fullPage: true });
    });
  }
}

for (const view of views) {
  test(`${view} fits a narrow screen`, async ({ open, page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(`#/${view}${view === 'map' ? '?word=doctor' : ''}`);
    await page.waitForTimeout(800);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(360);
    await page.screenshot({ path: `test-results/pictures/${view}-narrow.png`, fullPage: true });
  });
}

test('a state can be sent as an address', async ({ open }) => {
  const page = await open('#/learn?step=5');
  await expect(page.getByText('5 of 18')).toBeVisible();
  await page.getByRole('button', { name: 'one step on' }).click();
  await expect(page).toHaveURL(/step=6/);
  const state = await page.evaluate(() => location.hash);
  await page.goto('about:blank');
  const again = await open(state);
  await expect(again.getByText('6 of 18')).toBeVisible();
});

test('views can be reached by keys alone', async ({ open }) => {
  const page = await open('#/tour');
  await page.keyboard.press('Alt+6');
  await expect(page.getByRole('heading', { name: 'All vectors on a plane' })).toBeVisible();
  await page.keyboard.press('Alt+2');
  await expect(page.getByRole('heading', { name: /cut in several ways/ })).toBeVisible();
});

test('train shows the loss of each epoch, and the result on the map', async ({ open }) => {
  const page = await open('#/train');
  await page.getByLabel('Least count of a word').fill('1');
  await page.getByLabel('Epochs').fill('6');
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('epoch 6 of 6', { timeout: 30_000 });
  await expect(progress.getByRole('status')).toContainText('done');
  await expect(progress.locator('.u-wrap canvas')).toBeVisible();
  await expect(progress.locator('svg text').first()).toBeVisible();
  await page.getByLabel('Words to watch').fill('doctor');
  await progress.getByRole('link', { name: /on the map/ }).click();
  await expect(page.getByText(/two main directions/)).toBeVisible();
});
