import { expect, test } from "vitest";
import { LineBuffer } from "./line-buffer.ts";

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("the lines of one turn are one write, in order", async () => {
  const writes: string[] = [];
  const buffer = new LineBuffer((text) => writes.push(text));
  buffer.write("a\n");
  buffer.write("b\n");
  expect(writes).toEqual([]);
  await turn();
  buffer.write("c\n");
  await turn();
  expect(writes).toEqual(["a\nb\n", "c\n"]);
});

test("many characters do not wait, and a flush leaves nothing", async () => {
  const writes: string[] = [];
  const buffer = new LineBuffer((text) => writes.push(text));
  buffer.write("x".repeat(70_000));
  expect(writes).toHaveLength(1);
  buffer.write("y\n");
  buffer.flush();
  await turn();
  expect(writes.slice(1)).toEqual(["y\n"]);
});
