/** A map that can be moved: points in WebGL below, names and marks in a second canvas above. */
import { Cloud, Grid, type Camera, type Color } from './cloud';
import { drawLabels, type Marks } from './labels';

/** Points of a movement where all of them are slow. */
const fewer = 100_000;

export const nothing: Marks = { center: -1, rows: [], arrows: [] };

export class Plane {
  places: Float32Array = new Float32Array();
  grid: Grid | null = null;
  camera: Camera = { x: 0, y: 0, zoom: 100 };
  /** Rows that are named and circled whatever else is in sight. */
  marks: Marks = nothing;
  /** The point under the pointer; -1 for none. */
  pointed = -1;
  lasso: [number, number][] = [];
  private readonly cloud: Cloud;
  private readonly names = new Map<number, string>();
  private wanted = new Set<number>();
  private asking = false;
  private waiting = 0;
  /** Whether all points take too long to draw them anew in every picture of a movement. */
  private slow = false;
  private moving = 0;

  /** `nameRows` gives the words of some rows; it is asked for those that come into sight. */
  constructor(
    readonly frame: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly overlay: HTMLCanvasElement,
    private readonly nameRows: (rows: number[]) => Promise<string[]>,
  ) {
    this.cloud = new Cloud(canvas);
  }

  /** Other points; the names of rows are forgotten if they stand for other words. */
  setPlaces(places: Float32Array, sameWords: boolean): void {
    this.places = places;
    this.grid = places.length ? new Grid(places) : null;
    this.cloud.setPlaces(places);
    if (!sameWords) this.names.clear();
    this.marks = sameWords ? this.marks : nothing;
    this.pointed = -1;
    this.fit();
  }

  setShades(shades: Float32Array): void {
    this.cloud.setShades(shades);
    this.paint();
  }

  know(row: number, word: string): void {
    if (row >= 0) this.names.set(row, word);
  }

  async nameOf(row: number): Promise<string> {
    const known = this.names.get(row);
    if (known !== undefined) return known;
    const [word = ''] = await this.nameRows([row]);
    this.names.set(row, word);
    return word;
  }

  fit(): void {
    const { grid, frame } = this;
    if (!grid) return;
    this.camera = {
      x: grid.left + grid.width / 2,
      y: grid.bottom + grid.height / 2,
      zoom: 0.88 * Math.min(frame.clientWidth / grid.width, frame.clientHeight / grid.height),
    };
    this.paint();
  }

  toScreen(row: number): [number, number] {
    const { camera, places, frame } = this;
    return [
      frame.clientWidth / 2 + (places[2 * row]! - camera.x) * camera.zoom,
      frame.clientHeight / 2 - (places[2 * row + 1]! - camera.y) * camera.zoom,
    ];
  }

  toPlane(x: number, y: number): [number, number] {
    const { camera, frame } = this;
    return [
      camera.x + (x - frame.clientWidth / 2) / camera.zoom,
      camera.y - (y - frame.clientHeight / 2) / camera.zoom,
    ];
  }

  /** The row of the point near a place on the screen; -1 if there is none. */
  near(x: number, y: number, pixels: number): number {
    return this.grid?.nearest(...this.toPlane(x, y), pixels / this.camera.zoom) ?? -1;
  }

  shift(right: number, down: number): void {
    const { camera } = this;
    this.camera = { ...camera, x: camera.x - right / camera.zoom, y: camera.y + down / camera.zoom };
    this.move();
  }

  zoomAt(x: number, y: number, factor: number): void {
    const before = this.toPlane(x, y);
    this.camera = { ...this.camera, zoom: Math.min(1e7, Math.max(1, this.camera.zoom * factor)) };
    const after = this.toPlane(x, y);
    this.camera.x += before[0] - after[0];
    this.camera.y += before[1] - after[1];
    this.move();
  }

  /** Where there is no graphics card a movement shows the most frequent words, and its end all. */
  private move(): void {
    if (this.slow) {
      window.clearTimeout(this.moving);
      this.moving = window.setTimeout(() => {
        this.moving = 0;
        this.paint();
      }, 160);
    }
    this.paint();
  }

  /** Bring a point into sight, without moving the map if it is already there. */
  show(row: number): void {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (2 * row >= this.places.length || row < 0) return;
    const [x, y] = this.toScreen(row);
    if (x < 40 || y < 40 || x > width - 120 || y > height - 40) {
      this.camera = { ...this.camera, x: this.places[2 * row]!, y: this.places[2 * row + 1]! };
    }
    this.paint();
  }

  /** Draw once before the next picture of the screen, however often it was asked for. */
  paint(): void {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { frame, canvas, overlay, camera } = this;
    const { clientWidth: width, clientHeight: height } = frame;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    for (const each of [canvas, overlay]) {
      if (each.width !== Math.round(width * ratio) || each.height !== Math.round(height * ratio)) {
        each.width = Math.round(width * ratio);
        each.height = Math.round(height * ratio);
      }
    }
    const size = letterSize(frame) / 12;
    const colors = ['--low', '--middle', '--high'].map((name) => parse(resolved(frame, name)));
    const many = this.places.length / 2 > fewer;
    const begun = performance.now();
    const most = this.moving ? fewer : Infinity;
    this.cloud.draw(camera, width, height, ratio * size, ratio, colors as [Color, Color, Color], most);
    if (many && !this.moving) {
      this.cloud.finish();
      this.slow = performance.now() - begun > 50;
    }
    const context = overlay.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const missing = drawLabels(context, this, (row) => this.names.get(row), {
      ink: resolved(frame, '--ink'),
      paper: resolved(frame, '--paper'),
      accent: resolved(frame, '--accent'),
      size: 12 * size,
    });
    if (missing.length) void this.fetchNames(missing);
  }

  private async fetchNames(rows: number[]): Promise<void> {
    for (const row of rows) this.wanted.add(row);
    if (this.asking) return;
    this.asking = true;
    const batch = [...this.wanted].slice(0, 2000);
    this.wanted = new Set([...this.wanted].slice(2000));
    const asked = this.places;
    try {
      const words = await this.nameRows(batch);
      if (asked === this.places) batch.forEach((row, at) => this.names.set(row, words[at] ?? ''));
    } catch {
      // A map without some names is better than none; the next picture asks for them again.
      this.asking = false;
      return;
    }
    this.asking = false;
    this.paint();
  }
}

/** Letters on the map are as large as small text on the page, which grows with the screen. */
function letterSize(frame: HTMLElement): number {
  return 0.75 * parseFloat(getComputedStyle(frame).fontSize);
}

function resolved(frame: HTMLElement, variable: string): string {
  frame.style.setProperty('outline-color', `var(${variable})`);
  return getComputedStyle(frame).outlineColor;
}

const parsed = new Map<string, Color>();

function parse(css: string): Color {
  const known = parsed.get(css);
  if (known) return known;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return [0.5, 0.5, 0.5];
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  const color: Color = [red / 255, green / 255, blue / 255];
  parsed.set(css, color);
  return color;
}
