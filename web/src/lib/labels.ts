/** Names, circles and arrows over the points of a map. */
import type { Plane } from './plane';

export interface Marks {
  /** The row that everything else is about; -1 for none. */
  center: number;
  rows: number[];
  /** Pairs of rows, from and to. */
  arrows: [number, number][];
}

export interface Ink {
  ink: string;
  paper: string;
  accent: string;
  /** Of the letters, in pixels. */
  size: number;
}

type Box = [number, number, number, number];

/** Draws what is known, and returns the rows in sight whose names are not known yet. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  plane: Plane,
  nameOf: (row: number) => string | undefined,
  ink: Ink,
): number[] {
  const missing: number[] = [];
  const { center, rows, arrows } = plane.marks;
  const count = plane.places.length / 2;
  const marked = new Set([center, ...rows, plane.pointed].filter((row) => row >= 0 && row < count));
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  for (const [from, to] of arrows) {
    if (from < count && to < count) drawArrow(context, plane.toScreen(from), plane.toScreen(to), ink);
  }
  const boxes: Box[] = [];
  for (const row of new Set([...marked, ...inSight(plane, ink.size)])) {
    const label = nameOf(row);
    if (label === undefined) {
      missing.push(row);
      continue;
    }
    const [x, y] = plane.toScreen(row);
    const important = marked.has(row);
    if (important) circle(context, x, y, row === center, ink);
    context.font = `${important ? '600' : '400'} ${ink.size * (important ? 1.08 : 1)}px system-ui, sans-serif`;
    const half = ink.size * 0.67;
    const long = context.measureText(label).width;
    const box: Box = [x + half - 3, y - half, x + half + 1 + long, y + half];
    if (boxes.some((other) => overlap(box, other)) && row !== center && row !== plane.pointed) continue;
    boxes.push(box);
    context.strokeStyle = ink.paper;
    context.lineWidth = ink.size / 4;
    context.strokeText(label, x + half, y);
    context.fillStyle = important ? ink.accent : ink.ink;
    context.fillText(label, x + half, y);
  }
  if (plane.lasso.length > 1) drawLasso(context, plane.lasso, ink);
  return missing;
}

/** A row for each patch of the screen that has room for a name: the most frequent word in it. */
function inSight(plane: Plane, size: number): number[] {
  const { clientWidth: width, clientHeight: height } = plane.frame;
  if (!plane.grid) return [];
  const [left, bottom] = plane.toPlane(0, height);
  const [right, top] = plane.toPlane(width, 0);
  const columns = Math.max(1, Math.floor(width / (8 * size)));
  const lines = Math.max(1, Math.floor(height / (2.8 * size)));
  return plane.grid.sample(left, bottom, right, top, columns, lines).slice(0, 400);
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, large: boolean, ink: Ink): void {
  context.beginPath();
  context.arc(x, y, (large ? 7 : 5) * (ink.size / 12), 0, 7);
  context.lineWidth = ink.size / 6;
  context.strokeStyle = ink.accent;
  context.stroke();
}

function drawArrow(
  context: CanvasRenderingContext2D,
  [x0, y0]: [number, number],
  [x1, y1]: [number, number],
  ink: Ink,
): void {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const head = ink.size * 0.75;
  context.strokeStyle = ink.accent;
  context.fillStyle = ink.accent;
  context.lineWidth = ink.size / 8;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - head * Math.cos(angle - 0.4), y1 - head * Math.sin(angle - 0.4));
  context.lineTo(x1 - head * Math.cos(angle + 0.4), y1 - head * Math.sin(angle + 0.4));
  context.fill();
}

function drawLasso(context: CanvasRenderingContext2D, corners: [number, number][], ink: Ink): void {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.strokeStyle = ink.accent;
  context.lineWidth = ink.size / 8;
  context.stroke();
}
