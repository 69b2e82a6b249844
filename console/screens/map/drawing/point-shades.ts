/** What colours points have by the values of an attribute, and what the legend says. */

import {
  categoryColors,
  cssColor,
  type Ground,
  otherColor,
  pixelColor,
  scaleColor,
} from "./color-scales.ts";

/** One entry of a legend of categories. */
export interface LegendEntry {
  readonly label: string;
  readonly color: string;
  readonly count: number;
  /** The shade of its points. */
  readonly shade: number;
}

/** The colours of all points. */
export interface PointShades {
  /** For each point its number in `colors`. */
  readonly shades: Uint8Array;
  /** As pixels have them. */
  readonly colors: Uint32Array;
  /** Entries of categories; of a scale its ends, and the documents without a number. */
  readonly legend: readonly LegendEntry[];
  readonly kind: "one" | "categories" | "scale";
}

/** The shade of what has no value, or is beyond the palette. */
const OTHERS = 255;
/** More distinct numbers than this are a scale. */
const CATEGORY_NUMBERS_MAX = 12;
const SCALE_STEPS = 255;

/** All points in one colour. */
export function plainShades(count: number, ground: Ground): PointShades {
  const colors = new Uint32Array(256).fill(pixelColor(categoryColors(ground)[0]));
  return { shades: new Uint8Array(count), colors, legend: [], kind: "one" };
}

/**
 * Colours by value: numbers and times of many values on a scale, all else by category, the most
 * frequent first. Of arrays the first element counts.
 */
export function shadesOf(values: readonly unknown[], ground: Ground): PointShades {
  const first = values.map((value) => (Array.isArray(value) ? value[0] : value) ?? undefined);
  const given = first.filter((value) => value !== undefined);
  const numbers = given.map(numberOf);
  const isNumeric = given.length > 0 && numbers.every((number) => number !== undefined);
  if (isNumeric && new Set(numbers).size > CATEGORY_NUMBERS_MAX) return scaled(first, ground);
  return categories(first, ground);
}

function categories(values: readonly unknown[], ground: Ground): PointShades {
  const counts = new Map<string, number>();
  for (const value of values) {
    if (value !== undefined) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  const palette = categoryColors(ground);
  const named = [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, palette.length);
  const shadeOf = new Map(named.map(([label], shade) => [label, shade]));
  const shades = Uint8Array.from(values, (value) => shadeOf.get(String(value)) ?? OTHERS);
  const colors = new Uint32Array(256).fill(pixelColor(otherColor(ground)));
  named.forEach((_, shade) => {
    colors[shade] = pixelColor(palette[shade]);
  });
  const legend = named.map(([label, count], shade) => ({
    label,
    count,
    shade,
    color: cssColor(palette[shade]),
  }));
  return { shades, colors, kind: "categories", legend: [...legend, ...rest(shades, ground)] };
}

function scaled(values: readonly unknown[], ground: Ground): PointShades {
  const numbers = values.map(numberOf);
  let [least, greatest] = [Infinity, -Infinity];
  numbers.forEach((number) => {
    if (number === undefined) return;
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  });
  const shades = Uint8Array.from(numbers, (number) => {
    if (number === undefined) return OTHERS;
    return Math.round(((number - least) / (greatest - least)) * (SCALE_STEPS - 1));
  });
  const colors = Uint32Array.from({ length: 256 }, (_, shade) =>
    pixelColor(
      shade === OTHERS ? otherColor(ground) : scaleColor(shade / (SCALE_STEPS - 1), ground),
    ),
  );
  const end = (share: number, shade: number): LegendEntry => {
    const label = String(values[numbers.indexOf(share === 0 ? least : greatest)]);
    return { label, color: cssColor(scaleColor(share, ground)), count: 0, shade };
  };
  const ends = [end(0, 0), end(1, SCALE_STEPS - 1)];
  return { shades, colors, kind: "scale", legend: [...ends, ...rest(shades, ground)] };
}

function rest(shades: Uint8Array, ground: Ground): LegendEntry[] {
  const count = shades.reduce((sum, shade) => sum + (shade === OTHERS ? 1 : 0), 0);
  if (count === 0) return [];
  return [
    { label: "others, or no value", color: cssColor(otherColor(ground)), count, shade: OTHERS },
  ];
}

/** Numbers, and times as the API writes them, on an axis. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  // Nine digits of a second are more than dates have.
  const time = Date.parse(value.replace(/(\.\d{3})\d*Z$/, "$1Z"));
  return Number.isNaN(time) ? undefined : time;
}
