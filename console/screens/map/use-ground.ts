/** The ground that a map is drawn on, as the theme has it. */

import { useEffect, useState } from "preact/hooks";
import { theme } from "../../state/theme.ts";
import { type Ground, pixelColor } from "./drawing/color-scales.ts";

/** What colours are chosen for, and the ground's own colour as pixels have it. */
export interface MapGround {
  readonly ground: Ground;
  readonly background: number;
}

/** Reads the ground of the page, again when the theme or the system's choice changes. */
export function useGround(): MapGround {
  const [ground, setGround] = useState(readGround);
  const chosen = theme.value;
  useEffect(() => {
    const read = () => setGround(readGround());
    read();
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", read);
    return () => media.removeEventListener("change", read);
  }, [chosen]);
  return ground;
}

function readGround(): MapGround {
  const text = getComputedStyle(document.body).backgroundColor;
  const [red = 255, green = 255, blue = 255] = (text.match(/\d+/g) ?? []).map(Number);
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 128;
  const background = pixelColor((red << 16) | (green << 8) | blue);
  return { ground: isLight ? "light" : "dark", background };
}
