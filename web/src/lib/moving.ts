/** Pointers, wheel and keys that move a map, choose a point of it, or draw a lasso around many. */
import type { Plane } from './plane';

export interface Wishes {
  /** Whether the next stroke is a lasso. */
  lassoing(): boolean;
  /** Whether the wheel zooms the map, and does not scroll the page. */
  wheeling(): boolean;
  choose(row: number): void;
  /** A lasso was closed; its corners lie on the plane. */
  take(corners: [number, number][]): void;
}

/** Pixels that a finger may move while it only taps. */
const tap = 5;

/** Listen to what happens over the map; returns how to stop. */
export function moveBy(surface: HTMLElement, plane: Plane, wishes: Wishes): () => void {
  const fingers = new Map<number, [number, number]>();
  let moved = 0;

  function at(event: PointerEvent | WheelEvent): [number, number] {
    const box = plane.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function down(event: PointerEvent): void {
    surface.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    moved = 0;
    if (wishes.lassoing() || event.shiftKey) plane.lasso = [at(event)];
  }

  function point(now: [number, number]): void {
    const row = plane.near(...now, 10);
    if (row === plane.pointed) return;
    plane.pointed = row;
    plane.paint();
  }

  function move(event: PointerEvent): void {
    const now = at(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      point(now);
      return;
    }
    moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (plane.lasso.length) {
      plane.lasso.push(now);
      plane.paint();
    } else if (fingers.size === 2) {
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)?.[1] ?? now;
      const wide = Math.hypot(before[0] - other[0], before[1] - other[1]);
      if (wide > 0) plane.zoomAt(...other, Math.hypot(now[0] - other[0], now[1] - other[1]) / wide);
    } else {
      plane.shift(now[0] - before[0], now[1] - before[1]);
    }
    fingers.set(event.pointerId, now);
  }

  function up(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    if (plane.lasso.length) {
      const corners = plane.lasso.map(([x, y]) => plane.toPlane(x, y));
      plane.lasso = [];
      wishes.take(corners);
      plane.paint();
    } else if (moved < tap) {
      const row = plane.near(...at(event), 12);
      if (row >= 0) wishes.choose(row);
    }
  }

  function cancel(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    plane.lasso = [];
    plane.paint();
  }

  function wheel(event: WheelEvent): void {
    if (!wishes.wheeling() && !event.ctrlKey) return;
    event.preventDefault();
    plane.zoomAt(...at(event), Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)));
  }

  function keydown(event: KeyboardEvent): void {
    const { clientWidth, clientHeight } = plane.frame;
    const middle = [clientWidth / 2, clientHeight / 2] as const;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => plane.shift(60, 0),
      ArrowRight: () => plane.shift(-60, 0),
      ArrowUp: () => plane.shift(0, 60),
      ArrowDown: () => plane.shift(0, -60),
      '+': () => plane.zoomAt(...middle, 1.3),
      '=': () => plane.zoomAt(...middle, 1.3),
      '-': () => plane.zoomAt(...middle, 1 / 1.3),
      '0': () => plane.fit(),
    };
    const act = moves[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
    act();
    event.preventDefault();
    // In a notebook these keys would also move between cells.
    event.stopPropagation();
  }

  const listeners = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', cancel],
    ['wheel', wheel],
    ['keydown', keydown],
  ] as [string, (event: Event) => void][];
  // Not passive: the wheel zooms the map and does not scroll the page.
  for (const [name, listener] of listeners) surface.addEventListener(name, listener, { passive: false });
  return () => {
    for (const [name, listener] of listeners) surface.removeEventListener(name, listener);
  };
}
