/**
 * Points on a plane, drawn with WebGL 2: a million of them in one call.
 *
 * Libraries for this compile code in the browser, which the content security policy of the page forbids, and
 * what is needed here is one shader.
 */

const vertex = `#version 300 es
in vec2 place;
in float shade;
uniform vec2 center;
uniform vec2 scale;
uniform float size;
out float value;
void main() {
  gl_Position = vec4((place - center) * scale, 0.0, 1.0);
  gl_PointSize = size;
  value = shade;
}`;

const fragment = `#version 300 es
precision mediump float;
in float value;
uniform vec3 low;
uniform vec3 middle;
uniform vec3 high;
uniform float alpha;
out vec4 color;
void main() {
  vec2 from = gl_PointCoord - 0.5;
  float inside = 1.0 - smoothstep(0.42, 0.5, length(from));
  vec3 hue = value < 0.5 ? mix(low, middle, value * 2.0) : mix(middle, high, value * 2.0 - 1.0);
  color = vec4(hue, 1.0) * inside * alpha;
}`;

export interface Camera {
  x: number;
  y: number;
  /** Pixels for one unit of the plane. */
  zoom: number;
}

export type Color = [number, number, number];

export class Cloud {
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly places: WebGLBuffer;
  private readonly shades: WebGLBuffer;
  private count = 0;

  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { alpha: true, antialias: false, premultipliedAlpha: true });
    if (!gl) throw new Error('This browser has no WebGL 2, which the map is drawn with.');
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error('The map could not start: WebGL 2 made no shader.');
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, 'place');
    gl.bindAttribLocation(program, 1, 'shade');
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(`The map could not start: ${gl.getProgramInfoLog(program) ?? ''}`);
    }
    this.program = program;
    this.places = gl.createBuffer();
    this.shades = gl.createBuffer();
  }

  setPlaces(places: Float32Array): void {
    const { gl } = this;
    this.count = places.length / 2;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    this.setShades(new Float32Array(this.count).fill(0.5));
  }

  /** A number from 0 to 1 for each point, which its color shows. */
  setShades(shades: Float32Array): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shades);
    gl.bufferData(gl.ARRAY_BUFFER, shades, gl.STATIC_DRAW);
  }

  draw(
    camera: Camera,
    width: number,
    height: number,
    /** How much larger than on a small screen points are. */
    pointRatio: number,
    pixelRatio: number,
    colors: [Color, Color, Color],
    /** Only so many of the points, the first ones. */
    most = Infinity,
  ): void {
    const { gl, program } = this;
    gl.viewport(0, 0, width * pixelRatio, height * pixelRatio);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const [index, buffer, size] of [
      [0, this.places, 2],
      [1, this.shades, 1],
    ] as const) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, 0, 0);
    }
    gl.uniform2f(gl.getUniformLocation(program, 'center'), camera.x, camera.y);
    gl.uniform2f(
      gl.getUniformLocation(program, 'scale'),
      (2 * camera.zoom) / width,
      (2 * camera.zoom) / height,
    );
    gl.uniform1f(gl.getUniformLocation(program, 'size'), pointSize(this.count) * pointRatio);
    gl.uniform1f(gl.getUniformLocation(program, 'alpha'), this.count > 50_000 ? 0.55 : 0.85);
    for (const [name, color] of Object.entries({ low: colors[0], middle: colors[1], high: colors[2] })) {
      gl.uniform3f(gl.getUniformLocation(program, name), ...color);
    }
    gl.drawArrays(gl.POINTS, 0, Math.min(this.count, most));
  }

  /** Wait until what was drawn is there, as reading a pixel does. */
  finish(): void {
    const { gl } = this;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

/** Pixels across: fewer points can be larger. */
export function pointSize(count: number): number {
  return count < 300 ? 8 : count < 5000 ? 6 : count < 50_000 ? 4 : count < 400_000 ? 3 : 2;
}

/** Finds points near a place without looking at all of them: rows of points by cell of a grid. */
export class Grid {
  private readonly cells: number;
  private readonly starts: Uint32Array;
  private readonly rows: Uint32Array;
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;

  constructor(private readonly places: Float32Array) {
    const count = places.length / 2;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < count; at++) {
      const x = places[2 * at]!;
      const y = places[2 * at + 1]!;
      left = Math.min(left, x);
      right = Math.max(right, x);
      bottom = Math.min(bottom, y);
      top = Math.max(top, y);
    }
    this.left = left;
    this.bottom = bottom;
    this.width = Math.max(right - left, 1e-9);
    this.height = Math.max(top - bottom, 1e-9);
    this.cells = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(count / 4))));
    this.starts = new Uint32Array(this.cells ** 2 + 1);
    for (let at = 0; at < count; at++) this.starts[this.cellOf(at) + 1]!++;
    for (let at = 1; at < this.starts.length; at++) this.starts[at]! += this.starts[at - 1]!;
    this.rows = new Uint32Array(count);
    const next = this.starts.slice();
    for (let at = 0; at < count; at++) this.rows[next[this.cellOf(at)]!++] = at;
  }

  private column(x: number): number {
    return Math.min(this.cells - 1, Math.max(0, Math.floor(((x - this.left) / this.width) * this.cells)));
  }

  private line(y: number): number {
    return Math.min(this.cells - 1, Math.max(0, Math.floor(((y - this.bottom) / this.height) * this.cells)));
  }

  private cellOf(at: number): number {
    return this.line(this.places[2 * at + 1]!) * this.cells + this.column(this.places[2 * at]!);
  }

  /** Calls for each point in a rectangle, row by row of the grid; stops when the answer is false. */
  within(left: number, bottom: number, right: number, top: number, visit: (row: number) => void): void {
    for (let line = this.line(bottom); line <= this.line(top); line++) {
      for (let column = this.column(left); column <= this.column(right); column++) {
        const cell = line * this.cells + column;
        for (let at = this.starts[cell]!; at < this.starts[cell + 1]!; at++) {
          const row = this.rows[at]!;
          const x = this.places[2 * row]!;
          const y = this.places[2 * row + 1]!;
          if (x >= left && x <= right && y >= bottom && y <= top) visit(row);
        }
      }
    }
  }

  /** The nearest point within a distance; -1 if there is none. */
  nearest(x: number, y: number, distance: number): number {
    let [best, least] = [-1, distance ** 2];
    this.within(x - distance, y - distance, x + distance, y + distance, (row) => {
      const away = (this.places[2 * row]! - x) ** 2 + (this.places[2 * row + 1]! - y) ** 2;
      if (away <= least) [best, least] = [row, away];
    });
    return best;
  }

  /** The least row in each square of a raster over a rectangle: the words to name at this zoom. */
  sample(left: number, bottom: number, right: number, top: number, columns: number, lines: number): number[] {
    const best = new Map<number, number>();
    this.within(left, bottom, right, top, (row) => {
      const column = Math.floor(((this.places[2 * row]! - left) / (right - left)) * columns);
      const line = Math.floor(((this.places[2 * row + 1]! - bottom) / (top - bottom)) * lines);
      const square = line * columns + column;
      const known = best.get(square);
      if (known === undefined || row < known) best.set(square, row);
    });
    return [...best.values()].sort((a, b) => a - b);
  }
}

/** Whether a point lies in a closed line of corners. */
export function inside(x: number, y: number, corners: [number, number][]): boolean {
  let found = false;
  for (let at = 0, before = corners.length - 1; at < corners.length; before = at++) {
    const [ax, ay] = corners[at]!;
    const [bx, by] = corners[before]!;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) found = !found;
  }
  return found;
}
