/** How the console looks, as the browser remembers it. */

import { signal } from "@preact/signals";

/** What can be chosen; `system` is as the browser has it. */
export const THEMES = ["system", "light", "dark", "contrast"] as const;

/** One of them. */
export type Theme = (typeof THEMES)[number];

const KEY = "trawl-theme";

/** What is chosen. */
export const theme = signal<Theme>(stored());

/** Lets the page look as is chosen. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.peek();
}

/** Chooses, and remembers it where the browser lets pages remember. */
export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  applyTheme();
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // It holds for this page then.
  }
}

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return THEMES.find((each) => each === text) ?? "system";
  } catch {
    return "system";
  }
}
