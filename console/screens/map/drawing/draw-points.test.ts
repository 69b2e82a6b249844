import { describe, expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { type DrawnPoints, discStamp, drawPoints, type PixelImage } from "./draw-points.ts";

const WHITE = 0xffffffff;
const STILL = { scale: 1, shiftX: 0, shiftY: 0 };

function image(width: number, height: number): PixelImage {
  return { width, height, pixels: new Uint32Array(width * height) };
}

function pointsAt(positions: readonly number[], rest: Partial<DrawnPoints> = {}): DrawnPoints {
  return {
    positions: Float32Array.from(positions),
    shades: new Uint8Array(positions.length / 2),
    colors: Uint32Array.of(0xff0000ff),
    marked: undefined,
    order: Uint32Array.from({ length: positions.length / 2 }, (_, point) => point),
    ...rest,
  };
}

/** The slow twin: point by point, pixel by pixel, channel by channel. */
function drawNaively(size: PixelImage, points: DrawnPoints, radius: number): Uint32Array {
  const pixels = new Uint32Array(size.width * size.height).fill(WHITE);
  const disc = discStamp(radius);
  const passes: { faint: boolean; opacity: number }[] = [
    { faint: true, opacity: 14 },
    { faint: false, opacity: 104 },
  ];
  for (const { faint, opacity } of passes) {
    points.order.forEach((point) => {
      const shade = points.shades[point];
      if ((points.marked?.[point] === 0) !== faint) return;
      const x = Math.floor(points.positions[point * 2]);
      const y = Math.floor(points.positions[point * 2 + 1]);
      disc.coverage.forEach((coverage, i) => {
        const column = x + disc.dx[i];
        const line = y + disc.dy[i];
        if (column < 0 || column >= size.width || line < 0 || line >= size.height) return;
        const weight = Math.round(coverage * opacity);
        const below = pixels[line * size.width + column];
        const channels = [0, 8, 16].map((shift) => {
          const under = (below >>> shift) & 255;
          const over = (points.colors[shade] >>> shift) & 255;
          return Math.floor((under * (128 - weight) + over * weight) / 128) * 2 ** shift;
        });
        pixels[line * size.width + column] = 0xff000000 + channels[0] + channels[1] + channels[2];
      });
    });
  }
  return pixels;
}

describe("points", () => {
  test("are drawn as a slow program draws them, beside and over the edges, too", () => {
    const random = testRandom();
    for (const radius of [0.5, 1, 1.7, 3, 4.2]) {
      for (const hasMarks of [false, true]) {
        const size = image(40, 30);
        const points = pointsAt(
          Array.from({ length: 400 }, () => Math.fround(random.next() * 50 - 5)),
          {
            shades: Uint8Array.from({ length: 200 }, () => random.below(3)),
            colors: Uint32Array.of(0xff0072b2, 0xffe69f00, 0xff123456),
            order: Uint32Array.from({ length: 200 }, (_, i) => (i * 77) % 200),
            marked: hasMarks ? Uint8Array.from({ length: 200 }, () => random.below(2)) : undefined,
          },
        );
        drawPoints(size, points, STILL, { radius, background: WHITE });
        expect(size.pixels).toEqual(drawNaively(size, points, radius));
      }
    }
  });

  test("outside of the image are not drawn, and not counted", () => {
    const size = image(10, 10);
    const points = pointsAt([5, 5, 9, 9, 30, 5, -9, 2, Number.NaN, 4]);
    expect(drawPoints(size, points, STILL, { radius: 1, background: WHITE })).toBe(2);
  });

  test("are where the view has them", () => {
    const size = image(10, 10);
    const view = { scale: 2, shiftX: 1, shiftY: -1 };
    const style = { radius: 0.5, background: WHITE };
    expect(drawPoints(size, pointsAt([3, 4]), view, style)).toBe(1);
    const changed = [...size.pixels.keys()].filter((place) => size.pixels[place] !== WHITE);
    expect(changed).toEqual([7 * 10 + 7]);
  });

  test("are all counted, those that stand out and those that do not", () => {
    const points = pointsAt([1, 1, 2, 2, 3, 3], { marked: Uint8Array.of(0, 1, 0) });
    expect(drawPoints(image(5, 5), points, STILL, { radius: 1, background: WHITE })).toBe(3);
  });
});

test("a disc has the area of a disc", () => {
  for (const radius of [1, 2, 3.5, 6]) {
    const area = discStamp(radius).coverage.reduce((sum, share) => sum + share, 0);
    expect(Math.abs(area / (Math.PI * radius * radius) - 1)).toBeLessThan(0.05);
  }
});
