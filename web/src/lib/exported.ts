/** The answers that were written into a file, in place of a server; see `explorer/recording.py`. */
import { Refused, type Source } from './host';
import type { Cuts, MergeRecord, Near, Neighbors, Strip, TreeNode } from './types';

type Fields = Record<string, unknown>;

interface FlatNode extends Omit<TreeNode, 'left' | 'right'> {
  left?: number;
  right?: number;
}

interface Listed {
  rows: string;
  scores: string;
  count: number;
}

interface Recording {
  answers: [question: string, fields: Fields, answer: unknown][];
  tokenizers: Record<
    string,
    {
      strip: Omit<Strip, 'found' | 'tokens'>;
      vocabulary: string[];
      kinds: string;
      nodes: Record<number, FlatNode>;
      records: { total: number; records: MergeRecord[] } | null;
    }
  >;
  spaces: Record<
    string,
    {
      words: string[];
      drawn: number;
      points: string;
      norms: string;
      near: Record<'cosine' | 'euclidean', Listed>;
      stretched: string;
    }
  >;
}

const elsewhere = 'This file does not hold the answer; the explorer can compute it: textgrain explore';

/** Equal fields give equal keys, whatever their order. */
function keyOf(question: string, fields: object): string {
  return `${question} ${JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function bytesOf(packed: string): ArrayBuffer {
  return Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0)).buffer;
}

/** Unpack what stands in the page. */
export async function readRecording(packed: string): Promise<Recording> {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as Recording;
}

export function exported(recording: Recording): Source {
  const answers = new Map(
    recording.answers.map(([question, fields, answer]) => [keyOf(question, fields), answer]),
  );
  const spaces = new Map(Object.entries(recording.spaces).map(([name, space]) => [name, new Space(space)]));

  function spaceOf(fields: Fields): Space {
    const space = spaces.get(String(fields['vectors']));
    if (!space) throw new Refused('A map needs at least 2 words and vectors of at least 2 numbers.');
    return space;
  }

  function tokenizerOf(fields: Fields): Recording['tokenizers'][string] {
    const found = recording.tokenizers[String(fields['tokenizer'])];
    if (!found) throw new Refused(elsewhere);
    return found;
  }

  /** Questions whose answer is a part of what was recorded, or put together from it. */
  const parts: Record<string, (fields: Fields) => unknown> = {
    cut: (fields) => cutOf(recording, fields),
    'cut/tree': (fields) => treeOf(tokenizerOf(fields).nodes, Number(fields['id'])),
    'learn/records': (fields) => {
      const { records } = tokenizerOf(fields);
      if (!records) throw new Refused(elsewhere);
      const first = Number(fields['first'] ?? 0);
      return {
        total: records.total,
        kept: records.records.length,
        records: records.records.slice(first, first + Number(fields['count'] ?? 100)),
      };
    },
    'numbers/strip': (fields) => stripOf(tokenizerOf(fields), fields),
    'space/points': (fields) => spaceOf(fields).points,
    'space/words': (fields) => ({
      words: (fields['rows'] as number[]).map((row) => spaceOf(fields).words[row]),
    }),
    'space/complete': (fields) => ({ found: spaceOf(fields).complete(String(fields['beginning'])) }),
    'space/neighbors': (fields) => spaceOf(fields).neighbors(String(fields['word'])),
    'space/scaled': (fields) => spaceOf(fields).scaled(String(fields['word'])),
    'space/lengths': (fields) => spaceOf(fields).lengths(),
    'space/column': (fields) => spaceOf(fields).column(fields['values'] as Record<string, string>),
  };

  async function answer(question: string, fields: object): Promise<unknown> {
    const known = answers.get(keyOf(question, fields));
    if (known !== undefined) return known;
    const part = parts[question];
    if (!part) throw new Refused(elsewhere);
    return part(fields as Fields);
  }

  return {
    ask: <Answer>(question: string, fields: object = {}) => answer(question, fields) as Promise<Answer>,
    askFloats: (question, fields = {}) => answer(question, fields) as Promise<Float32Array>,
  };
}

/** Any choice of tokenizers, from cuts of the same text that were recorded a few at a time. */
function cutOf(recording: Recording, fields: Fields): Cuts {
  const same = recording.answers
    .filter(([question, asked]) => question === 'cut' && asked['text'] === fields['text'])
    .map(([, , answer]) => answer as Cuts);
  if (!same[0]) throw new Refused(elsewhere);
  const rows = same.flatMap((each) => each.tokenizers);
  const wanted = fields['tokenizers'] as string[];
  return { ...same[0], tokenizers: wanted.flatMap((name) => rows.filter((row) => row.name === name)) };
}

function treeOf(nodes: Record<number, FlatNode>, id: number): TreeNode {
  const node = nodes[id];
  if (!node) throw new Refused(elsewhere);
  const { left, right, ...own } = node;
  return {
    ...own,
    ...(left !== undefined && right !== undefined
      ? { left: treeOf(nodes, left), right: treeOf(nodes, right) }
      : {}),
  };
}

const kinds = { a: 'alphabet', m: 'merge', s: 'special' } as const;

function stripOf(tokenizer: Recording['tokenizers'][string], fields: Fields): Strip {
  const find = String(fields['find'] ?? '');
  const first = Number(fields['first'] ?? 0);
  const until = first + Number(fields['count'] ?? 100);
  const ids = [];
  for (let id = 0; id < tokenizer.vocabulary.length; id++) {
    if (!find || tokenizer.vocabulary[id]?.includes(find)) ids.push(id);
  }
  return {
    ...tokenizer.strip,
    found: ids.length,
    tokens: ids.slice(first, until).map((id) => ({
      id,
      text: tokenizer.vocabulary[id] ?? '',
      kind: kinds[(tokenizer.kinds[id] ?? 'a') as keyof typeof kinds],
    })),
  };
}

/** The drawn words of one set of vectors, and their neighbors. */
class Space {
  readonly words: string[];
  readonly points: Float32Array;
  private readonly drawn: number;
  private readonly norms: Float32Array;
  private readonly stretched: Float32Array;
  private readonly near: Record<
    'cosine' | 'euclidean',
    { rows: Uint32Array; scores: Float32Array; count: number }
  >;

  constructor(recorded: Recording['spaces'][string]) {
    this.words = recorded.words;
    this.drawn = recorded.drawn;
    this.points = new Float32Array(bytesOf(recorded.points));
    this.norms = new Float32Array(bytesOf(recorded.norms));
    this.stretched = new Float32Array(bytesOf(recorded.stretched));
    const read = ({ rows, scores, count }: Listed) => ({
      rows: new Uint32Array(bytesOf(rows)),
      scores: new Float32Array(bytesOf(scores)),
      count,
    });
    this.near = { cosine: read(recorded.near.cosine), euclidean: read(recorded.near.euclidean) };
  }

  private rowOf(word: string): number {
    const row = this.words.indexOf(word);
    if (row >= 0 && row < this.drawn) return row;
    throw new Refused(
      `“${word}” is not among the ${this.drawn.toLocaleString('en')} words on this map; the explorer knows all: textgrain explore`,
    );
  }

  complete(beginning: string): { word: string; row: number }[] {
    const found = [];
    for (let row = 0; row < this.drawn && found.length < 48; row++) {
      const word = this.words[row] ?? '';
      if (word.startsWith(beginning)) found.push({ word, row });
    }
    const exact = (each: { word: string }): number => Number(each.word !== beginning);
    return found.sort((a, b) => exact(a) - exact(b)).slice(0, 12);
  }

  neighbors(word: string): Neighbors {
    const row = this.rowOf(word);
    return {
      word,
      row,
      norm: this.norms[row] ?? 0,
      parts: [],
      cosine: this.list('cosine', row),
      euclidean: this.list('euclidean', row),
    };
  }

  private list(measure: 'cosine' | 'euclidean', row: number): Near[] {
    const { rows, scores, count } = this.near[measure];
    return Array.from({ length: count }, (_, at) => {
      const other = rows[row * count + at] ?? 0;
      return {
        word: this.words[other] ?? '',
        row: other < this.drawn ? other : -1,
        score: scores[row * count + at] ?? 0,
        norm: this.norms[other] ?? 0,
      };
    });
  }

  /** What changes when the nearest word gets longer: the distance, and nothing about the angle. */
  scaled(word: string): { cosine: number[]; euclidean: number[] } {
    const row = this.rowOf(word);
    const cosine = this.near.cosine.scores[row * this.near.cosine.count] ?? 0;
    return { cosine: [cosine, cosine], euclidean: [...this.stretched.subarray(2 * row, 2 * row + 2)] };
  }

  lengths(): Float32Array {
    return Float32Array.from({ length: this.drawn }, (_, row) => [...(this.words[row] ?? '')].length);
  }

  /** Numbers as they are, groups by their order; nothing for words without a value. */
  column(values: Record<string, string>): Float32Array {
    const groups = [...new Set(Object.values(values))].sort();
    const numeric = groups.every((value) => value !== '' && !Number.isNaN(Number(value)));
    const found = Float32Array.from({ length: this.drawn }, (_, row) => {
      const value = values[this.words[row] ?? ''];
      return value === undefined ? NaN : numeric ? Number(value) : groups.indexOf(value);
    });
    if (found.every(Number.isNaN)) throw new Refused('none of the words of this column is on this map');
    return found;
  }
}
