import { describe, expect, it } from 'vitest';
import { Grid, inside } from './cloud';

function random(count: number): Float32Array {
  let state = 7;
  return Float32Array.from({ length: 2 * count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648 - 0.5;
  });
}

describe('Grid', () => {
  const places = random(5000);
  const grid = new Grid(places);

  it('finds the points of a rectangle, each once', () => {
    const found: number[] = [];
    grid.within(-0.1, -0.2, 0.3, 0.05, (row) => found.push(row));
    const expected = [];
    for (let row = 0; row < 5000; row++) {
      const [x, y] = [places[2 * row]!, places[2 * row + 1]!];
      if (x >= -0.1 && x <= 0.3 && y >= -0.2 && y <= 0.05) expected.push(row);
    }
    expect(found.sort((a, b) => a - b)).toEqual(expected);
  });

  it('finds the nearest point, or none', () => {
    const [x, y] = [places[84]!, places[85]!];
    expect(grid.nearest(x + 1e-6, y, 0.01)).toBe(42);
    expect(grid.nearest(9, 9, 0.01)).toBe(-1);
  });

  it('names the first row of each square only', () => {
    const rows = grid.sample(-0.5, -0.5, 0.5, 0.5, 4, 4);
    expect(rows.length).toBe(16);
    expect(rows[0]).toBe(0);
  });

  it('takes one point and points in one place', () => {
    expect(new Grid(new Float32Array([3, 4])).nearest(3, 4, 0.1)).toBe(0);
    expect(new Grid(new Float32Array([1, 1, 1, 1])).sample(0, 0, 2, 2, 1, 1)).toEqual([0]);
  });
});

describe('inside', () => {
  const square: [number, number][] = [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2],
  ];
  it('tells in from out', () => {
    expect(inside(1, 1, square)).toBe(true);
    expect(inside(3, 1, square)).toBe(false);
    expect(inside(1, 1, [])).toBe(false);
  });
});
