/** Text as people can see it. */

const signs: Record<string, string> = { ' ': '␣', '\n': '⏎', '\t': '⇥', '\r': '␍' };

/** White space and control characters made visible, as in the tables of the command line. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}]/gu,
    (sign) => signs[sign] ?? `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function number(value: number): string {
  return whole.format(value);
}

export function compact(value: number): string {
  return value < 100_000 ? whole.format(value) : short.format(value);
}

/** Far enough apart for neighbors, the same for one token wherever it stands. */
export function hue(id: number): number {
  return Math.round((id * 137.508) % 360);
}

/** Where one list of token ends has a boundary that another has not, as places in the text. */
export function differing(ends: number[], others: number[]): Set<number> {
  const known = new Set(others);
  return new Set(ends.filter((end) => !known.has(end)));
}

/** A column that belongs to words: a word, a tab (or a space or comma), a number or the name of a group. */
export function readColumn(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const found = /^\s*([^\t,]+?)(?:\t|,|\s)\s*([^\t,]+?)\s*$/u.exec(line);
    if (found?.[1] && found[2]) values[found[1]] = found[2];
  }
  return values;
}

/** Words with their counts as people write them: one a line, or separated by commas. */
export function readCounts(text: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const part of text.split(/[\n,;]+/)) {
    const found = /^\s*(\S+?)(?:(?:\s*[:=]\s*|\s+)(\d+))?\s*$/u.exec(part);
    const word = found?.[1];
    if (!word) continue;
    counts[word] = (counts[word] ?? 0) + Number(found?.[2] ?? 1);
  }
  return counts;
}
