import { expect, test } from "vitest";
import { splitLines } from "./split-lines.ts";

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("lines come whole, however their bytes arrive", async () => {
  const text = "first\n\nsep\u2028arated\r\nlast 🐋";
  for (let size = 1; size <= text.length + 4; size++) {
    const lines: string[] = [];
    for await (const line of splitLines(chunksOf(text, size))) lines.push(String(line));
    expect(lines, `by ${size} bytes`).toEqual(["first", "", "sep\u2028arated\r", "last 🐋"]);
  }
});
