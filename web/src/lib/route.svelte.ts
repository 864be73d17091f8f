/** The view and its settings live in the address, so that each state of the page can be kept and sent. */
import { untrack } from 'svelte';

function read(): { view: string; settings: Record<string, string> } {
  const [view = '', query = ''] = window.location.hash.replace(/^#\/?/, '').split('?');
  return { view, settings: Object.fromEntries(new URLSearchParams(query)) };
}

/** `visit` counts the times that somebody went to an address, so that a view starts anew with its settings. */
export const route = $state({ ...read(), visit: 0 });

window.addEventListener('hashchange', () => Object.assign(route, read(), { visit: route.visit + 1 }));

function write(view: string, settings: Record<string, string>): string {
  const query = new URLSearchParams(settings).toString();
  return `#/${view}${query ? `?${query}` : ''}`;
}

/** Go to another view. */
export function go(view: string, settings: Record<string, string> = {}): void {
  window.location.hash = write(view, settings);
}

export function link(view: string, settings: Record<string, string> = {}): string {
  return write(view, settings);
}

/** Longest setting that goes into the address; a long text is not sent by link. */
const longest = 2000;

/** Keep a setting of the present view in the address, without a new step in the history. */
export function keep(settings: Record<string, string | number | null>): void {
  // Effects call this; they must not run again because of what they themselves keep.
  const { view, settings: before } = untrack(() => ({ view: route.view, settings: route.settings }));
  const merged: Record<string, string> = { ...before };
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || String(value).length > longest) delete merged[name];
    else merged[name] = String(value);
  }
  route.settings = merged;
  window.history.replaceState(null, '', write(view, merged));
}
