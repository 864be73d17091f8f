import { describe, expect, it } from 'vitest';
import { byRank, byRankOfKnown } from './shades';

describe('byRankOfKnown', () => {
  it('keeps what has no value apart', () => {
    const shades = byRankOfKnown(new Float32Array([NaN, 2, 1]));
    expect([...shades]).toEqual([0, 1, 0.25]);
  });
});

describe('byRank', () => {
  it('gives equals the same shade', () => {
    expect([...byRank([5, 1, 1, 9])]).toEqual([
      expect.closeTo(2 / 3),
      expect.closeTo(1 / 6),
      expect.closeTo(1 / 6),
      1,
    ]);
    expect([...byRank([4])]).toEqual([0.5]);
  });
});
