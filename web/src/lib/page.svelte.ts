/** The whole page as a host of views: its models are asked for once, its settings are its address. */
import type { Host, Source } from './host';
import { keep, link, route } from './route.svelte';
import type { Overview } from './types';

export function pageHost(source: Source, live: boolean): Host {
  const models = $state<Overview>({ version: '', tokenizers: [], vectors: [], corpora: [], folders: [] });
  return {
    ...source,
    live,
    models,
    get settings() {
      return route.settings;
    },
    loadModels: async () => {
      Object.assign(models, await source.ask<Overview>('overview'));
    },
    keep,
    link,
  };
}
