/**
 * How fast the JSON reader and writer are, next to JSON.parse and JSON.stringify of the same bytes.
 * Run: `node bench/json.bench.ts` (Node >= 24). Prints MB of JSON per second, the best of 5 rounds.
 */
import { seededRandom } from "../src/base/random.ts";
import { Float32Builder } from "../src/wire/json/json-numbers.ts";
import { JsonReader, parseJson } from "../src/wire/json/json-reader.ts";
import { JsonWriter } from "../src/wire/json/json-writer.ts";

const ROUNDS = 5;
const VECTORS = 1500;
const DIMENSIONS = 768;
const CHUNK_BYTES = 64 * 1024;
const random = seededRandom(1);

/** Runs `action` a few times and gives its best rate. */
function rate(bytes: number, action: () => void): string {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    action();
    best = Math.min(best, performance.now() - start);
  }
  return (bytes / 1000 / best).toFixed(0).padStart(6);
}

function vectorBody(spell: () => string): Buffer {
  const vector = () => `[${Array.from({ length: DIMENSIONS }, spell).join(",")}]`;
  return Buffer.from(`[${Array.from({ length: VECTORS }, vector).join(",")}]`);
}

function readVectors(body: Buffer): void {
  const reader = new JsonReader();
  const vector = new Float32Builder();
  let open = false;
  let more = true;
  const step = () => {
    vector.truncate(0);
    more = reader.nextElement();
    if (more) reader.readNumbersInto(vector);
  };
  const run = () => {
    open ||= reader.attempt(() => reader.beginArray());
    while (open && more && reader.attempt(step));
  };
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    if (reader.push(body.subarray(at, at + CHUNK_BYTES))) run();
  }
  reader.end();
  run();
  reader.finish();
}

const spellings: Record<string, () => string> = {
  "float64, 17 digits": () => String(random.next() * 2 - 1),
  "float32 as float64": () => String(Math.fround(random.next() * 2 - 1)),
  "8 digits": () => (random.next() * 2 - 1).toFixed(8),
  integers: () => String(random.below(1_000_000)),
};

console.log("MB/s of JSON                 to float32  to values  JSON.parse");
for (const [name, spell] of Object.entries(spellings)) {
  const body = vectorBody(spell);
  const streamed = rate(body.length, () => readVectors(body));
  const values = rate(body.length, () => parseJson(body));
  const native = rate(body.length, () => JSON.parse(body.toString()));
  console.log(
    `${name.padEnd(28)} ${streamed.padStart(10)} ${values.padStart(10)} ${native.padStart(11)}`,
  );
}

const documents = Array.from({ length: 20_000 }, (_, i) => ({
  id: i,
  title: `a title of a few words ${i}`,
  tags: ["red", "green", "blue"],
  price: i / 100,
  text: "Lorem ipsum dolor sit amet, consectetur adipiscing élit. ".repeat(4),
}));
const body = Buffer.from(JSON.stringify(documents));
const values = rate(body.length, () => parseJson(body));
const native = rate(body.length, () => JSON.parse(body.toString()));
console.log(
  `${"documents".padEnd(28)} ${"".padStart(10)} ${values.padStart(10)} ${native.padStart(11)}`,
);

const vectors = Float32Array.from({ length: VECTORS * DIMENSIONS }, () => random.next() * 2 - 1);
const writer = new JsonWriter();
const write = () => {
  writer.truncate(0);
  for (let at = 0; at < vectors.length; at += DIMENSIONS) {
    writer.float32Array(vectors.subarray(at, at + DIMENSIONS));
  }
};
write();
const written = rate(writer.length, write);
const stringified = rate(writer.length, () => JSON.stringify(Array.from(vectors)));
console.log(
  `\nwriting float32: ${written} MB/s; JSON.stringify of the same floats: ${stringified}`,
);
