import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { type LineBatch, LineBatches, LineFault } from "./line-batches.ts";

function cut(text: string, chunkBytes: () => number, members = {}): LineBatch[] {
  const batches = new LineBatches(members);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const end = at + chunkBytes();
    runSteps(batches.push(bytes.subarray(at, end)));
    at = end;
  }
  runSteps(batches.end());
  return [...batches.takeAll()];
}

test("random lines become the rows of writes, however they arrive", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const lines = Array.from({ length: random.below(10) }, (_, id) => {
      const blank = ["", " ", "\r"][random.below(3)];
      return random.below(4) === 0
        ? blank
        : JSON.stringify({ id, t: "é]}".repeat(random.below(5)) });
    });
    const mark = random.below(3) === 0 ? "\ufeff" : "";
    const text = mark + lines.join("\n") + (random.below(2) === 0 ? "\n" : "");
    const batches = cut(text, () => 1 + random.below(20), { distance_metric: "x" });
    const rows = lines.flatMap((line, i) =>
      line.trim() === "" ? [] : [{ line: i + 1, text: line }],
    );
    if (rows.length === 0) {
      expect(batches, `seed ${seed}`).toEqual([]);
      continue;
    }
    const [batch] = batches;
    expect(JSON.parse(Buffer.from(batch.body).toString()), `seed ${seed}`).toEqual({
      distance_metric: "x",
      upsert_rows: rows.map((row) => JSON.parse(row.text)),
    });
    expect(batch.lines, `seed ${seed}`).toEqual(rows.map(({ line }) => line));
  }
});

test("batches are full by count, and only the first has further members", () => {
  const text = '{"id":1}\n'.repeat(25_000);
  const batches = cut(text, () => 65_536, { schema: { a: "int" } });
  expect(batches.map(({ lines }) => lines.length)).toEqual([10_000, 10_000, 5_000]);
  expect(batches.map(({ lines }) => lines[0])).toEqual([1, 10_001, 20_001]);
  const schemas = batches.map(({ body }) => Buffer.from(body).includes("schema"));
  expect(schemas).toEqual([true, false, false]);
});

test.each([
  ['{"id":1}],"deletes":[5', "expected one object in a line"],
  ['{"id":1},{"id":2}', "expected one object in a line"],
  ['{"id":1]}', "expected a comma or the object's end"],
  ["[1,2]", "expected a JSON object"],
  ['{"id":[1}}', "expected a value"],
])("a line %s is refused, and those before it are kept", (line, message) => {
  const batches = new LineBatches({});
  const text = Buffer.from(`{"id":0}\n\n${line}\n{"id":9}\n`);
  let fault: unknown;
  try {
    runSteps(batches.push(text));
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(LineFault);
  expect(fault).toMatchObject({ line: 3, message: expect.stringContaining(message) });
  const [{ body }] = batches.takeAll();
  expect(Buffer.from(body).toString()).toBe('{"upsert_rows":[{"id":0}]}');
});

test("a line may be long, and a fault in it is found", () => {
  const long = JSON.stringify({ id: 1, a: [["x]", { "}": null }]], t: "é".repeat(200_000) });
  const [batch] = cut(` ${long} \n\n`, () => 65_536);
  expect(Buffer.from(batch.body).toString()).toBe(`{"upsert_rows":[${long}]}`);
  expect(() => cut(`\n${long}],"deletes":[5\n`, () => 65_536)).toThrow(
    expect.objectContaining({ line: 2, message: expect.stringContaining("trailing characters") }),
  );
});

test.each([
  ["empty lines", "\n"],
  ["lines of space", " \t\r\n"],
  ["empty objects", "{}\n"],
  ["objects with space around them", "  {} \r\n"],
  ["rows", '{"id":1,"text":"some words of a text"}\n'],
  ["long rows", `{"id":1,"text":"${"some words of a text ".repeat(10_000)}"}\n`],
])("%s are read with a pause after few of them", (_, line) => {
  const chunk = Buffer.from(line.repeat(Math.ceil((1 << 20) / line.length)));
  const { count } = countSteps(new LineBatches({}).push(chunk));
  const lines = chunk.length / line.length;
  const rows = line.includes("{") ? lines : 0;
  // 256 lines, or 64 KiB, and what is begun at the end of it.
  expect(count).toBeGreaterThanOrEqual(Math.max(chunk.length / (2 << 16), rows / 260));
  expect(count).toBeLessThan(10 * (16 + lines / 256));
});

test("a line that is too long is refused before its end", () => {
  const batches = new LineBatches({});
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  const push = () => {
    for (let i = 0; i < 20; i++) runSteps(batches.push(chunk));
  };
  expect(push).toThrow("a line has at most 16777216 bytes");
});
