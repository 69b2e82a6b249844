import { describe, expect, test } from "vitest";
import {
  categoryColors,
  cssColor,
  type Ground,
  otherColor,
  pixelColor,
  scaleColor,
} from "./color-scales.ts";

const GROUNDS: Readonly<Record<Ground, number>> = { light: 0xffffff, dark: 0x111418 };

type Triple = readonly [number, number, number];

/** How people without one kind of cone see linear RGB (Machado, Oliveira and Fernandes, 2009). */
const VISION: Readonly<Record<string, readonly Triple[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  "without red": [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  "without green": [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function linear(color: number): Triple {
  const channel = (shift: number) => {
    const value = ((color >>> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(16), channel(8), channel(0)];
}

function times(matrix: readonly Triple[], [r, g, b]: Triple): Triple {
  const row = ([x, y, z]: Triple) => Math.min(1, Math.max(0, x * r + y * g + z * b));
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** CIE L*a*b* under D65. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference(a: number, b: number, vision: string): number {
  const [p, q] = [a, b].map((color) => lab(times(VISION[vision], linear(color))));
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

function contrast(a: number, b: number): number {
  const [p, q] = [a, b].map((color) => luminance(linear(color)) + 0.05);
  return Math.max(p, q) / Math.min(p, q);
}

describe.each(["light", "dark"] as const)("on %s ground", (ground) => {
  test.each(Object.keys(VISION))("categories differ for eyes with %s vision", (vision) => {
    const colors = [...categoryColors(ground), otherColor(ground)];
    const near = colors.flatMap((a, i) =>
      colors.slice(i + 1).flatMap((b) => {
        const apart = difference(a, b, vision);
        return apart < 10 ? [`${cssColor(a)} ${cssColor(b)} ${apart.toFixed(1)}`] : [];
      }),
    );
    expect(near).toEqual([]);
  });

  test("every colour shows", () => {
    const scale = Array.from({ length: 11 }, (_, i) => scaleColor(i / 10, ground));
    const faint = [...categoryColors(ground), otherColor(ground), ...scale]
      .filter((color) => contrast(color, GROUNDS[ground]) < 1.9)
      .map((color) => `${cssColor(color)} ${contrast(color, GROUNDS[ground]).toFixed(2)}`);
    expect(faint).toEqual([]);
  });

  test("the scale grows lighter all along, for all eyes", () => {
    for (const vision of Object.keys(VISION)) {
      const lightness = Array.from(
        { length: 101 },
        (_, i) => lab(times(VISION[vision], linear(scaleColor(i / 100, ground))))[0],
      );
      expect(lightness).toEqual([...lightness].sort((a, b) => a - b));
      expect(lightness[100] - lightness[0]).toBeGreaterThan(40);
    }
  });

  test("shares outside of 0 to 1 have the colours of the ends", () => {
    expect(scaleColor(-1, ground)).toBe(scaleColor(0, ground));
    expect(scaleColor(7, ground)).toBe(scaleColor(1, ground));
  });
});

test("a colour is written for CSS and for pixels", () => {
  expect(cssColor(0x0072b2)).toBe("#0072b2");
  expect(pixelColor(0x0072b2)).toBe(0xffb27200);
});
