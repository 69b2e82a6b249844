import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../base/random.ts";
import { JsonReader, parseJson } from "./json-reader.ts";

const SOURCE = new TextEncoder().encode(
  '{"rows":[{"id":1,"vector":[0.1,-0.25,3e-2,4,5,6,7,8,9.5],"n":[1,2,3,4,5,6,7,8,9,10]},' +
    '{"s":"a\\u00e9\\n日本\\ud83d\\ude00"},[[],{}],null],"metric":"cosine_distance",' +
    '"filters":["And",[["a","Eq",null],["b","In",[true,false]]]]}',
);

function outcomeOf(action: () => void): string {
  try {
    action();
    return "no fault";
  } catch (error) {
    return (error as Error).message;
  }
}

function mutated(random: Random): Uint8Array {
  let bytes = SOURCE.slice();
  for (let i = random.below(4); i > 0; i--) {
    const at = random.below(bytes.length);
    const kind = random.below(3);
    if (kind === 0) bytes[at] = random.below(256);
    else if (kind === 1 && at > 0) bytes = bytes.slice(0, at);
    else bytes.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
  }
  return bytes;
}

/** Skips a body that arrives in chunks, in steps of any length. */
function skip(bytes: Uint8Array, random: Random): void {
  const reader = new JsonReader();
  const skipped = reader.beginSkip();
  let isOver = false;
  const run = () => {
    while (!isOver) {
      const stepBytes = 1 + random.below(40);
      const step = () => {
        isOver = skipped.step(stepBytes);
      };
      if (!reader.attempt(step)) return;
    }
  };
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(60);
    if (reader.push(bytes.subarray(at, end))) run();
    at = end;
  }
  reader.end();
  run();
  reader.finish();
}

test("what is skipped has the faults of what is read, but for names that are there twice", () => {
  let soundCount = 0;
  for (let seed = 1; seed <= 5000; seed++) {
    const random = seededRandom(seed);
    const bytes = mutated(random);
    const read = outcomeOf(() => parseJson(bytes));
    const skipped = outcomeOf(() => skip(bytes, random));
    if (read.includes("duplicate key")) continue;
    expect(skipped, `seed ${seed}`).toBe(read);
    if (read === "no fault") soundCount++;
  }
  expect(soundCount).toBeGreaterThan(100);
});

test("a name that is there twice in what is skipped is no fault", () => {
  const reader = new JsonReader();
  reader.push(new TextEncoder().encode('{"a":{"b":1,"b":2},"a":[]}'));
  reader.end();
  reader.skipValue();
  reader.finish();
});
