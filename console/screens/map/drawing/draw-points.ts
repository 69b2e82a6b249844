/**
 * Points drawn into pixels by the processor. Canvas calls for 50,000 discs take longer than a frame
 * where there is no graphics card, and WebGL is not there on every machine; this is the same
 * everywhere, and a test can look at it.
 */

import type { Extent, MapView } from "../map-view.ts";

/** Pixels row by row, each as ImageData has it on little-endian machines: 0xAABBGGRR. */
export interface PixelImage extends Extent {
  readonly pixels: Uint32Array;
}

/** What is drawn. */
export interface DrawnPoints {
  /** Two numbers a point, in the map's coordinates. */
  readonly positions: Float32Array;
  /** For each point its number in `colors`. */
  readonly shades: Uint8Array;
  /** As in `PixelImage`; the highest byte is not looked at. */
  readonly colors: Uint32Array;
  /** Not 0 for points that stand out; the others are drawn faintly below them. All stand out if absent. */
  readonly marked: Uint8Array | undefined;
  /** In which order they are drawn. Neighbours after each other are quicker: they share memory. */
  readonly order: Uint32Array;
}

/** Opacity of points, in 128ths: overlapping ones show how many there are. */
const OPACITY = 104;
const OPACITY_FAINT = 14;
/** Samples along each axis of a pixel for the edge of a disc. */
const SAMPLES = 4;

/**
 * Fills `image` with `background` and draws discs of `radius` pixels; answers how many have been
 * drawn, since those outside are left out.
 */
export function drawPoints(
  image: PixelImage,
  points: DrawnPoints,
  view: MapView,
  { radius, background }: { readonly radius: number; readonly background: number },
): number {
  image.pixels.fill(background);
  const disc = discStamp(radius);
  const { pixels } = image;
  const canvas: Canvas = {
    width: image.width,
    height: image.height,
    // Integers of 32 bits with a sign stay integers in the engine; without one they become floats.
    pixels: new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length),
  };
  const full = { ...stamp(disc, OPACITY, image.width), of: points.marked && 1 } as const;
  if (points.marked === undefined) return drawSome(canvas, points, view, full);
  const faint = { ...stamp(disc, OPACITY_FAINT, image.width), of: 0 } as const;
  return drawSome(canvas, points, view, faint) + drawSome(canvas, points, view, full);
}

/** An image whose pixels are integers with a sign. */
interface Canvas extends Extent {
  readonly pixels: Int32Array;
}

/** Pixels that a disc covers: how far from its middle, and their coverage, 0 to 1. */
interface Disc {
  readonly reach: number;
  readonly dx: Int32Array;
  readonly dy: Int32Array;
  readonly coverage: Float64Array;
}

/** A disc with coverage in 128ths, opacity included. */
interface Stamp extends Omit<Disc, "coverage"> {
  readonly weights: Int32Array;
  /** From the disc's middle, in an image of one width. */
  readonly offsets: Int32Array;
}

/** A disc around the middle of a pixel, its edge smoothed. */
export function discStamp(radius: number): Disc {
  const reach = Math.max(0, Math.ceil(radius - 0.5));
  const covered: { dx: number; dy: number; coverage: number }[] = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const coverage = coverageOf(dx, dy, radius);
      if (coverage > 0) covered.push({ dx, dy, coverage });
    }
  }
  return {
    reach,
    dx: Int32Array.from(covered, ({ dx }) => dx),
    dy: Int32Array.from(covered, ({ dy }) => dy),
    coverage: Float64Array.from(covered, ({ coverage }) => coverage),
  };
}

function coverageOf(dx: number, dy: number, radius: number): number {
  let inside = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = dx - 0.5 + ((i % SAMPLES) + 0.5) / SAMPLES;
    const y = dy - 0.5 + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES;
    if (x * x + y * y <= radius * radius) inside++;
  }
  return inside / (SAMPLES * SAMPLES);
}

function stamp({ coverage, ...disc }: Disc, opacity: number, width: number): Stamp {
  return {
    ...disc,
    weights: Int32Array.from(coverage, (share) => Math.round(share * opacity)),
    offsets: disc.dy.map((dy, i) => dy * width + disc.dx[i]),
  };
}

/** Draws the points whose mark is 0, or is not, as `shape.of` says; all of them if it is absent. */
function drawSome(
  image: Canvas,
  { positions, shades, colors, marked, order }: DrawnPoints,
  { scale, shiftX, shiftY }: MapView,
  shape: Stamp & { readonly of: 0 | 1 | undefined },
): number {
  const { width, height } = image;
  const { reach } = shape;
  let drawn = 0;
  for (let i = 0; i < order.length; i++) {
    const point = order[i];
    if (shape.of !== undefined && (marked?.[point] === 0 ? 0 : 1) !== shape.of) continue;
    const x = Math.floor(positions[point * 2] * scale + shiftX);
    const y = Math.floor(positions[point * 2 + 1] * scale + shiftY);
    if (!(x >= -reach && x < width + reach && y >= -reach && y < height + reach)) continue;
    drawn++;
    const isWhole = x >= reach && x < width - reach && y >= reach && y < height - reach;
    if (isWhole) blendWhole(image, shape, y * width + x, colors[shades[point]]);
    else blendPart(image, shape, { x, y }, colors[shades[point]]);
  }
  return drawn;
}

function blendWhole({ pixels }: Canvas, shape: Stamp, middle: number, color: number): void {
  const { offsets, weights } = shape;
  const redBlue = color & 0xff00ff;
  const green = color & 0xff00;
  for (let i = 0; i < weights.length; i++) {
    const place = middle + offsets[i];
    pixels[place] = blend(pixels[place], redBlue, green, weights[i]);
  }
}

function blendPart(
  { pixels, width, height }: Canvas,
  { dx, dy, weights }: Stamp,
  { x, y }: { readonly x: number; readonly y: number },
  color: number,
): void {
  for (let i = 0; i < weights.length; i++) {
    const column = x + dx[i];
    const line = y + dy[i];
    if (column < 0 || column >= width || line < 0 || line >= height) continue;
    const place = line * width + column;
    pixels[place] = blend(pixels[place], color & 0xff00ff, color & 0xff00, weights[i]);
  }
}

/**
 * A colour over another one, `weight` 128ths of it: red and blue in one multiplication, since 7
 * bits of weight leave room between them within 31 bits. The result is opaque.
 */
function blend(below: number, redBlue: number, green: number, weight: number): number {
  const rest = 128 - weight;
  const rb = Math.imul(below & 0xff00ff, rest) + Math.imul(redBlue, weight);
  const g = Math.imul(below & 0xff00, rest) + Math.imul(green, weight);
  return -0x1000000 | ((rb >> 7) & 0xff00ff) | ((g >> 7) & 0xff00);
}
