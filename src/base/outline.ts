import { clip } from "./bounded-text.ts";

/** Parts that one outline has at most; ours: more than anybody reads. */
const PARTS_MAX = 256;
/** Characters of an outline, in UTF-16 units; at most three times as many bytes. */
const OUTLINE_CHARS_MAX = 2000;

/**
 * A text of parts within parts, whatever their number: equal neighbours are one, and what is over
 * the bounds is an ellipsis. One for each text.
 */
export class Outline {
  #partsLeft = PARTS_MAX;

  /** The parts with a separator between them. */
  join<T>(items: Iterable<T>, separator: string, show: (item: T) => string): string {
    const shown: { readonly text: string; count: number }[] = [];
    for (const item of items) {
      if (this.#partsLeft === 0) {
        shown.push({ text: "…", count: 1 });
        break;
      }
      this.#partsLeft--;
      const text = show(item);
      const last = shown.at(-1);
      if (last?.text === text) last.count++;
      else shown.push({ text, count: 1 });
    }
    return shown
      .map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`))
      .join(separator);
  }

  /** The whole text, cut. */
  text(text: string): string {
    return clip(text, OUTLINE_CHARS_MAX);
  }
}
