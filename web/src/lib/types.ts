/** What the server answers; the same names as in `python/textgrain/explorer/views`. */

export interface Overview {
  version: string;
  tokenizers: {
    name: string;
    kind: string;
    size: number;
    merges: number;
    history: boolean;
    lossless: boolean;
  }[];
  /** A file draws only the most frequent words. */
  vectors: { name: string; words: number; size: number; drawn?: number }[];
  corpora: string[];
  folders: string[];
  /** Whether the library for UMAP is installed. */
  umap?: boolean;
  /** The texts whose answers a file holds. */
  texts?: string[];
}

export interface Tokens {
  name: string;
  ids: number[];
  starts: number[];
  ends: number[];
  names: Record<number, string>;
  count: number;
  cells: number;
  rows: number;
  parameters: number;
}

export interface Cuts {
  words: { starts: number[]; ends: number[]; count: number; distinct: number; unseen: number[] };
  characters: { count: number; distinct: number };
  bytes: { count: number };
  tokenizers: Tokens[];
  width: number;
}

export interface TreeNode {
  id: number;
  text: string;
  bytes: number[];
  rank?: number;
  total?: number;
  reason?: string;
  left?: TreeNode;
  right?: TreeNode;
}

export interface Steps {
  merges: number;
  pieces: {
    text: string;
    symbols: string[];
    steps: { rank: number; left: string; right: string; tokens: string[] }[];
    tokens: string[];
    ids: number[];
  }[];
}

export interface MergeRecord {
  rank: number;
  left: string;
  right: string;
  token: string;
  id: number;
  total: number;
  tied: number;
  runner_up: [string, string] | null;
  runner_up_total: number | null;
  reason: string;
}

export interface Example {
  name: string;
  words: Record<string, number>;
  merges: number;
  end_of_word: string;
}

export interface Lesson {
  lesson: number;
  merges: number;
  alphabet: number;
}

export interface LessonState {
  step: number;
  steps: number;
  size: number;
  words: { word: string; count: number; tokens: string[]; changes: boolean }[];
  distinct_words: number;
  pairs: { left: string; right: string; total: number; tied: boolean }[];
  /** Pairs with the largest total. */
  tied: number;
  distinct_pairs: number;
  next: MergeRecord | null;
  made: MergeRecord[];
}

export interface Records {
  total: number;
  /** So many of them are in a file; all are with a server. */
  kept?: number;
  records: MergeRecord[];
}

export interface Sizes {
  sizes: number[];
  tokens: number[];
  fertility: number[];
  parameters: number[];
  words: number;
}

export interface Strip {
  size: number;
  found: number;
  alphabet: number;
  merges: number;
  special: number[];
  tokens: { id: number; text: string; kind: 'alphabet' | 'merge' | 'special' }[];
}

export interface Rows {
  ids: number[];
  tokens: string[];
  count: number;
  matrix: number[][];
  table: { first: number; rows: number[][] };
  size: number;
  parameters: Record<string, number>;
}

export interface Near {
  word: string;
  row: number;
  score: number;
  norm: number;
}

export interface Neighbors {
  word: string;
  /** -1 for a word outside the vocabulary. */
  row: number;
  norm: number;
  /** The n-grams of the word, where vectors are made of them. */
  parts: { ngram: string; known: boolean; weight: number | null }[];
  cosine: Near[];
  euclidean: Near[];
}

export interface Analogy {
  /** The rows of the three words that were asked for. */
  terms: number[];
  found: { word: string; score: number; row: number }[];
}

export interface Spread {
  nearest: number;
  farthest: number;
  ratio: number | null;
  mean: number;
  counts: number[];
  edges: number[];
}

export interface Distances {
  dimension: number;
  random: Spread;
  vectors?: Spread;
  vectors_dimension?: number;
}
