import { describe, expect, it } from 'vitest';
import { differing, hue, readColumn, readCounts, visible } from './text';

describe('visible', () => {
  it('shows white space and control characters', () => {
    expect(visible(' a\n\tb\u00a0\u0000')).toBe('␣a⏎⇥b\\u{a0}\\u{0}');
  });
  it('leaves letters, marks and emoji alone', () => {
    expect(visible('é e\u0301 東 😀')).toBe('é␣e\u0301␣東␣😀');
  });
});

describe('differing', () => {
  it('finds boundaries that only the first list has', () => {
    expect([...differing([2, 5, 9], [5, 9])]).toEqual([2]);
  });
});

describe('readCounts', () => {
  it('reads lines, commas, colons and words without a count', () => {
    expect(readCounts('low 5\nlower: 2, newest=6\n\nwide')).toEqual({ low: 5, lower: 2, newest: 6, wide: 1 });
  });
  it('adds up a word that comes twice', () => {
    expect(readCounts('a 1, a 2')).toEqual({ a: 3 });
  });
});

describe('readColumn', () => {
  it('reads tabs, commas and spaces, and leaves other lines out', () => {
    expect(readColumn('fever\tsymptom\ncar, vehicle\nnew york\tcity\nten 10\nalone\n')).toEqual({
      fever: 'symptom',
      car: 'vehicle',
      'new york': 'city',
      ten: '10',
    });
  });
});

describe('hue', () => {
  it('stays on the circle and tells neighbors apart', () => {
    for (let id = 0; id < 1000; id++) {
      expect(hue(id)).toBeGreaterThanOrEqual(0);
      expect(hue(id)).toBeLessThanOrEqual(360);
      expect(Math.abs(hue(id) - hue(id + 1))).toBeGreaterThan(90);
    }
  });
});
