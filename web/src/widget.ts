/**
 * A view in a cell of a notebook, as anywidget loads it.
 *
 * It lives in a shadow tree, so that the styles of the notebook and of the view leave each other alone.
 */
import { mount, unmount } from 'svelte';
import styles from './app.css?inline';
import { Refused, type Host, type Source } from './lib/host';
import type { Overview } from './lib/types';
import Cell from './Cell.svelte';

/** What anywidget hands in; only what is used here. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: object): void;
  on(event: 'msg:custom', listener: (content: Reply, buffers: DataView[]) => void): void;
  off(event: 'msg:custom', listener: (content: Reply, buffers: DataView[]) => void): void;
}

interface Reply {
  id?: string;
  answer?: unknown;
  error?: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(reason: Error): void;
}

/** Questions to the kernel. A model may be shown several times, so each place numbers its own questions. */
function kernel(model: Model): { source: Source; close: () => void } {
  const place = Math.random().toString(36).slice(2);
  const waiting = new Map<string, Waiting>();
  let asked = 0;

  const listener = (content: Reply, buffers: DataView[]): void => {
    const found = waiting.get(content.id ?? '');
    if (!found) return;
    waiting.delete(content.id ?? '');
    if (content.error !== undefined) found.reject(new Refused(content.error));
    else found.resolve(buffers?.[0] ? floatsOf(buffers[0]) : content.answer);
  };
  model.on('msg:custom', listener);

  function send(question: string, fields: object, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = `${place}-${asked++}`;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => {
        waiting.delete(id);
        reject(new DOMException('nobody waits for the answer any more', 'AbortError'));
      });
      model.send({ id, question, fields });
    });
  }

  return {
    source: {
      ask: <Answer>(question: string, fields: object = {}, signal?: AbortSignal) =>
        send(question, fields, signal) as Promise<Answer>,
      askFloats: (question, fields = {}, signal) => send(question, fields, signal) as Promise<Float32Array>,
    },
    close: () => model.off('msg:custom', listener),
  };
}

/** A copy, since a buffer of a message may begin anywhere. */
function floatsOf(view: DataView): Float32Array {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function settingsOf(model: Model): Record<string, string> {
  return (model.get('settings') ?? {}) as Record<string, string>;
}

function hostOf(model: Model, source: Source): Host {
  const models: Overview = { version: '', tokenizers: [], vectors: [], corpora: [], folders: [] };
  return {
    ...source,
    live: true,
    models,
    settings: settingsOf(model),
    loadModels: async () => {
      Object.assign(models, await source.ask<Overview>('overview'));
    },
    keep: (changed) => {
      const merged = { ...settingsOf(model) };
      for (const [name, value] of Object.entries(changed)) {
        if (value === null) delete merged[name];
        else merged[name] = String(value);
      }
      if (JSON.stringify(merged) === JSON.stringify(settingsOf(model))) return;
      model.set('settings', merged);
      model.save_changes();
    },
    link: () => undefined,
  };
}

/** Whether what lies behind an element is dark: notebooks have themes of their own. */
function isDark(element: Element): boolean {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const color =
      getComputedStyle(at)
        .backgroundColor.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    const [red = 0, green = 0, blue = 0, alpha = 1] = color;
    if (color.length >= 3 && alpha > 0.5) return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
  }
  return false;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const place = document.createElement('div');
  // Letters typed here are not commands to the notebook.
  place.setAttribute('data-lm-suppress-shortcuts', 'true');
  el.append(place);
  const shadow = place.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = styles;
  const target = document.createElement('div');
  shadow.append(style, target);
  target.addEventListener('keydown', (event) => event.stopPropagation());

  const follow = (): void => {
    place.dataset['theme'] = isDark(el) ? 'dark' : 'light';
  };
  follow();
  const theme = new MutationObserver(follow);
  for (const each of [document.documentElement, document.body]) theme.observe(each, { attributes: true });

  const { source, close } = kernel(model);
  const cell = mount(Cell, {
    target,
    props: { host: hostOf(model, source), view: String(model.get('view')) },
  });
  return () => {
    theme.disconnect();
    close();
    void unmount(cell);
    place.remove();
  };
}

export default { render };
