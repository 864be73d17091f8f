import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { exported, readRecording } from './lib/exported';
import type { Host } from './lib/host';
import { pageHost } from './lib/page.svelte';
import { server } from './lib/server';

/** With the answers in the page itself it needs no server. */
async function findHost(): Promise<Host> {
  const recorded = document.getElementById('answers')?.textContent;
  if (!recorded) return pageHost(server(), true);
  return pageHost(exported(await readRecording(recorded)), false);
}

const target = document.getElementById('app');
if (target) void findHost().then((host) => mount(App, { target, props: { host } }));
