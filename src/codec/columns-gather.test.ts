import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { randomDocuments } from "../../test/support/random/random-documents.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { STEP_COPY_BYTES } from "../base/pieces.ts";
import type { Random } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { type AttributeType, parseAttributeType } from "../model/attribute-type.ts";
import { buildDocuments } from "./columns-builder.ts";
import { gatherColumn } from "./columns-gather.ts";
import { columnValue } from "./columns-value.ts";

const COUNT = 300;
/** So many that every kind of value takes several steps, as each costs 32 bytes at least. */
const WANTED = (effort({ usual: 2, full: 8 }) * STEP_COPY_BYTES) / 32;

/** Ordinals in runs of up to so many, in any order. */
function drawOrdinals(random: Random, runMax: number): Uint32Array {
  const ordinals: number[] = [];
  while (ordinals.length < WANTED) {
    let ordinal = random.below(COUNT);
    const end = Math.min(COUNT, ordinal + 1 + random.below(runMax));
    while (ordinal < end) ordinals.push(ordinal++);
  }
  return Uint32Array.from(ordinals);
}

test.each(["string", "[]string", "int", "[3]f32", "{}f16", "[][2]f32", "uuid", "bool"])(
  "values of %s are the same however many steps they take",
  (name) => {
    const random = testRandom();
    const type = parseAttributeType(name) as AttributeType;
    const types = new Map([["a", type]]);
    // What is wanted one by one, and what is copied in long runs.
    const parts = [2, COUNT].map((runMax) => {
      const documents = randomDocuments(random, COUNT, { idType: "uint", types });
      const column = buildDocuments("uint", types, documents).attributes.get("a");
      if (column === undefined) throw new Error("no document has a value");
      return { column, ordinals: drawOrdinals(random, runMax) };
    });
    const gathered = runSteps(gatherColumn(type, parts));
    let at = 0;
    for (const { column, ordinals } of parts) {
      const values = Array.from({ length: COUNT }, (_, i) => columnValue(column, i));
      const texts = values.map((value) => JSON.stringify(value, spelled));
      for (const ordinal of ordinals) {
        const value = columnValue(gathered, at++);
        // The runner's own comparison of so many values takes longer than all else.
        if (JSON.stringify(value, spelled) === texts[ordinal]) continue;
        expect(value, `value ${at - 1}`).toEqual(values[ordinal]);
      }
    }
    expect(gathered.count).toBe(at);
  },
);

function spelled(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
