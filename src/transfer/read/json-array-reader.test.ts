import { expect, test } from "vitest";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { contents, readAll } from "../../../test/support/transfer/read-all.ts";
import { seededRandom } from "../../base/random.ts";
import { JsonArrayReader } from "./json-array-reader.ts";

test("random arrays read as JSON.parse reads them, from every row on", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const values = Array.from({ length: random.below(8) }, (_, i) => ({
      id: i,
      text: '],[{"}\\"'.repeat(random.below(4)),
      list: [[1, [2]], { a: [] }, "\\"].slice(random.below(4)),
    }));
    const mark = random.below(3) === 0 ? "\ufeff" : "";
    const text = mark + JSON.stringify(values, undefined, random.below(3));
    const chunkBytes = () => 1 + random.below(30);
    const reader = new JsonArrayReader(new ChunkedBytes(text, { chunkBytes }));
    const rows = await readAll(reader);
    expect(contents(rows), `seed ${seed}`).toEqual(values);
    for (const [i, { next }] of rows.entries()) {
      expect(next.rows, `seed ${seed}`).toBe(i + 1);
      expect(await readAll(reader, next), `seed ${seed}`).toEqual(rows.slice(i + 1));
    }
  }
});

test("rows know the line on which they begin", async () => {
  const text = '[\n  {"id": 1},\n\n  {\n "id": 2}\n, {"id": 3}]\n';
  const rows = await readAll(new JsonArrayReader(new ChunkedBytes(text)));
  expect(rows.map(({ line }) => line)).toEqual([2, 4, 6]);
});

test.each([
  ["", "rows:1: the file is empty; expected a JSON array"],
  ['[{"id":1},', "rows:1: the array is not closed: the file is cut off"],
  ["[1,,2]", "rows:1: there is nothing before this comma"],
  ["[1}]", "rows:1: a brace is closed that was not opened"],
  ['{"id":1}', 'rows:1: expected [, got "{"'],
  ["[1]\n[2]", 'rows:2: expected nothing after the array, got "["'],
])("%j is refused", async (text, message) => {
  await expect(readAll(new JsonArrayReader(new ChunkedBytes(text)))).rejects.toThrow(message);
});
