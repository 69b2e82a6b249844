/**
 * Colours of points: a palette for categories that people with any colour vision tell apart, and a
 * scale for numbers whose lightness rises. All are 0xRRGGBB.
 */

/** On what the points are drawn. */
export type Ground = "light" | "dark";

/**
 * Okabe and Ito's palette (2008), from the most frequent category on. Its yellow does not show on
 * white and its black not on black, so each ground has one of the two; the light one's sky and
 * purple are darker, so that they show and differ from the grey of others.
 */
const CATEGORIES: Readonly<Record<Ground, readonly number[]>> = {
  light: [0x0072b2, 0xe69f00, 0x009e73, 0xb85c94, 0x3aa0dc, 0xd55e00, 0x000000],
  dark: [0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0xf0e442, 0xd55e00, 0xffffff],
};

/** Colour of categories beyond the palette, and of documents without a value. */
const OTHERS: Readonly<Record<Ground, number>> = { light: 0xa3a8b0, dark: 0x6a7280 };

/** Cividis (Nuñez, Anderton and Renslow, 2018), at equal steps from 0 to 1. */
const CIVIDIS = [
  0x00204c, 0x002a66, 0x00346e, 0x273f6c, 0x3c4a6b, 0x4c556b, 0x5b5f6d, 0x686a70, 0x757575,
  0x838178, 0x928c78, 0xa19876, 0xb0a572, 0xc0b16d, 0xd1bf66, 0xe1cc5c, 0xf3db4f, 0xffe945,
];

/** The part of the scale that shows on each ground. */
const SHOWN: Readonly<Record<Ground, { readonly from: number; readonly to: number }>> = {
  light: { from: 0, to: 0.8 },
  dark: { from: 0.3, to: 1 },
};

/** The palette for categories, in order; what is beyond it has `otherColor`. */
export function categoryColors(ground: Ground): readonly number[] {
  return CATEGORIES[ground];
}

/** For all that has no colour of its own. */
export function otherColor(ground: Ground): number {
  return OTHERS[ground];
}

/** The colour of a share between 0 and 1 on the scale for numbers. */
export function scaleColor(share: number, ground: Ground): number {
  const { from, to } = SHOWN[ground];
  const at = (from + Math.min(1, Math.max(0, share)) * (to - from)) * (CIVIDIS.length - 1);
  const lower = Math.min(Math.floor(at), CIVIDIS.length - 2);
  return mixed(CIVIDIS[lower], CIVIDIS[lower + 1], at - lower);
}

/** As CSS writes it. */
export function cssColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

/** As `PixelImage` has it: opaque, with red in the lowest byte. */
export function pixelColor(color: number): number {
  return (0xff000000 | ((color & 0xff) << 16) | (color & 0xff00) | (color >>> 16)) >>> 0;
}

function mixed(a: number, b: number, share: number): number {
  const channel = (shift: number) => {
    const [from, to] = [(a >>> shift) & 255, (b >>> shift) & 255];
    return Math.round(from + (to - from) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}
