/** Starts the server once, and checks on each page that nothing was complained about. */
import { test as base, expect, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

async function start(file: string): Promise<{ url: string; process: ChildProcess }> {
  const python = process.env['PYTHON'] || path.join(root, '.venv/bin/python');
  const child = spawn(python, ['-W', 'ignore', path.join(root, 'web/tests/serve.py'), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  for await (const url of lines) return { url, process: child };
  throw new Error('the server did not start');
}

export interface Explorer {
  url: string;
  /** The address of a file with the same pictures. */
  file: string;
  /** Ask the engine itself. */
  ask<Answer>(question: string, fields: object): Promise<Answer>;
  /** The same, as it was sent. */
  send(question: string, fields: object): Promise<Response>;
}

export const test = base.extend<{ open: (hash: string) => Promise<Page> }, { explorer: Explorer }>({
  explorer: [
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'textgrain-'));
      const file = path.join(folder, 'page.html');
      const { url, process: child } = await start(file);
      const address = new URL(url);
      const send = (question: string, fields: object): Promise<Response> =>
        fetch(`${address.origin}/api/${question}`, {
          method: 'POST',
          headers: { 'x-textgrain-token': address.searchParams.get('token') ?? '' },
          body: JSON.stringify(fields),
        });
      const ask = async <Answer>(question: string, fields: object): Promise<Answer> =>
        (await (await send(question, fields)).json()) as Answer;
      await use({ url, file: pathToFileURL(file).href, ask, send });
      child.stdin?.end();
      await new Promise((done) => child.once('exit', done));
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
  open: async ({ page, explorer }, use) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await use(async (hash) => {
      await page.goto(`${explorer.url}${hash}`);
      await expect(page.locator('h1').first()).toBeVisible();
      return page;
    });
    expect(complaints).toEqual([]);
  },
});

export { expect };
