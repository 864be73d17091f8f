/** What a view is shown in: the page with its server, a file that holds all answers, or a cell of a notebook. */
import { getContext, setContext } from 'svelte';
import type { Overview } from './types';

export interface Source {
  ask<Answer>(question: string, fields?: object, signal?: AbortSignal): Promise<Answer>;
  askFloats(question: string, fields?: object, signal?: AbortSignal): Promise<Float32Array>;
}

export interface Host extends Source {
  /** Whether somebody can compute a new answer; a file has only those that were written into it. */
  readonly live: boolean;
  readonly models: Overview;
  /** Settings that the view begins with. */
  readonly settings: Record<string, string>;
  loadModels(): Promise<void>;
  /** Remember settings of the present view where they can be found again. */
  keep(settings: Record<string, string | number | null>): void;
  /** The address of another view; nothing where there are no other views. */
  link(view: string, settings?: Record<string, string>): string | undefined;
}

const key = Symbol('host');

export function provide(host: Host): void {
  setContext(key, host);
}

export function useHost(): Host {
  return getContext<Host>(key);
}

export class Refused extends Error {}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
