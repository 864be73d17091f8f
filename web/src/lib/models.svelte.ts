/** What the server shows; asked for once. */
import { ask } from './api';
import type { Overview } from './types';

export const models = $state<Overview>({
  version: '',
  tokenizers: [],
  vectors: [],
  corpora: [],
  folders: [],
});

export async function loadModels(): Promise<void> {
  Object.assign(models, await ask<Overview>('overview'));
}
