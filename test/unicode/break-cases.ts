/** Reads the break test files of the Unicode Character Database that lie in this folder. */
import { readFileSync } from "node:fs";

/** A text and where it breaks: ascending UTF-16 offsets, 0 and the length included. */
export interface BreakCase {
  readonly line: number;
  readonly text: string;
  readonly breaks: readonly number[];
}

/** Returns the cases of a file such as `WordBreakTest.txt`. */
export function readBreakCases(file: string): BreakCase[] {
  const cases: BreakCase[] = [];
  const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    const content = line.split("#")[0].trim();
    if (content === "") continue;
    let text = "";
    const breaks: number[] = [];
    for (const item of content.split(/\s+/)) {
      if (item === "÷") breaks.push(text.length);
      else if (item !== "×") text += String.fromCodePoint(Number.parseInt(item, 16));
    }
    cases.push({ line: index + 1, text, breaks });
  }
  return cases;
}
