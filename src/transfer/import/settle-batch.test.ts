import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import type { BatchRow } from "./row-batches.ts";
import { settleBatch } from "./settle-batch.ts";

function rowsOf(texts: readonly string[]): BatchRow[] {
  return texts.map((text, i) => ({
    file: "rows",
    line: i + 1,
    document: text.startsWith("local") ? text : Buffer.from(text),
    raw: () => text,
    end: { rows: i + 1, line: i + 2, offset: 0, file: 0, rowsBefore: 0 },
  }));
}

/** Refuses what is `bad`: parts that a server parses first come first, as in the server. */
function server(names: boolean) {
  const taken: string[] = [];
  let requests = 0;
  const send = async (documents: readonly Uint8Array[]) => {
    requests++;
    const texts = documents.map((document) => Buffer.from(document).toString());
    const syntax = texts.indexOf("bad syntax");
    const first = syntax >= 0 ? syntax : texts.findIndex((text) => text.startsWith("bad"));
    if (first < 0) {
      taken.push(...texts);
      return undefined;
    }
    return names ? `💔 upsert_rows[${first}].v: ${texts[first]}` : "💔 something is wrong";
  };
  return { send, taken, requests: () => requests };
}

test("random batches lose their bad rows and nothing else, named or not", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const count = 1 + random.below(30);
    const kinds = ["good", "good", "good", "bad value", "bad syntax", "local"];
    const texts = Array.from({ length: count }, (_, i) => {
      const kind = kinds[random.below(kinds.length)];
      return kind === "bad syntax" ? kind : `${kind} ${i}`;
    });
    const { send, taken } = server(random.below(2) === 0);
    const { accepted, rejected } = await settleBatch(rowsOf(texts), send);
    const good = texts.filter((text) => text.startsWith("good"));
    expect(taken.toSorted(), `seed ${seed}`).toEqual(good.toSorted());
    expect(accepted, `seed ${seed}`).toBe(good.length);
    const bad = texts.flatMap((text, i) => (text.startsWith("good") ? [] : [i + 1]));
    expect(
      rejected.map(({ row }) => row.line),
      `seed ${seed}`,
    ).toEqual(bad);
  }
});

test("one bad row among many costs two requests if named, else some twenty", async () => {
  const texts = Array.from({ length: 10_000 }, (_, i) => (i === 7_777 ? "bad" : `good ${i}`));
  const naming = server(true);
  const { rejected } = await settleBatch(rowsOf(texts), naming.send);
  expect(naming.requests()).toBe(2);
  expect(rejected.map(({ error }) => error)).toEqual(["💔 v: bad"]);
  const silent = server(false);
  await settleBatch(rowsOf(texts), silent.send);
  expect(silent.requests()).toBeLessThan(30);
});

test("with a bound, the first bad rows are told, and nothing behind them is sent", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const kinds = ["good", "good", "bad value", "bad syntax", "local"];
    const texts = Array.from({ length: 20 }, (_, i) => {
      const kind = kinds[random.below(kinds.length)];
      return kind === "bad syntax" ? kind : `${kind} ${i}`;
    });
    const max = random.below(4);
    const { send, taken } = server(true);
    const { rejected } = await settleBatch(rowsOf(texts), send, max);
    const bad = texts.flatMap((text, i) => (text.startsWith("good") ? [] : [i + 1]));
    const told = rejected.map(({ row }) => row.line).slice(0, max + 1);
    expect(told, `seed ${seed}`).toEqual(bad.slice(0, max + 1));
    const end = bad.length > max ? bad[max] : texts.length + 1;
    const before = texts.slice(0, end - 1).filter((text) => text.startsWith("good"));
    expect(taken.slice(0, before.length).toSorted(), `seed ${seed}`).toEqual(before.toSorted());
    expect(taken.length, `seed ${seed}`).toBe(before.length);
  }
});
