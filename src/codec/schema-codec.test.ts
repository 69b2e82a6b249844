import { expect, test } from "vitest";
import { faultOf } from "../../test/support/documents/loose-json.ts";
import { create, merge } from "../../test/support/documents/schema-changes.ts";
import { EMPTY_SCHEMA } from "../model/schema.ts";
import { decodeSchema, encodeSchema } from "./schema-codec.ts";

test("a schema survives its codec, also through JSON", () => {
  const schema = create(
    {
      id: "uuid",
      t: { type: "string", full_text_search: { language: "german", stemming: true }, regex: true },
      v: { type: "[][4]f32", ann: { late_interaction: true } },
      s: "{}f16",
      e: { type: "string", embed: "openai/text-embedding-3-small" },
      "weird name ✓": "[]datetime",
    },
    "cosine_distance",
  );
  expect(decodeSchema(JSON.parse(JSON.stringify(encodeSchema(schema))))).toEqual(schema);
  expect(decodeSchema(encodeSchema(EMPTY_SCHEMA))).toEqual(EMPTY_SCHEMA);
});

test("columns of attributes that followed dropped ones survive it, too", () => {
  const first = create({ id: "uuid", t: "string", n: "int" });
  const dropped = merge(first, { schema: { t: { drop: true } }, existing: true }).schema;
  const { schema } = merge(dropped, { schema: { t: "int" }, existing: true });
  for (const one of [dropped, schema]) {
    const stored = JSON.parse(JSON.stringify(encodeSchema(one)));
    expect(decodeSchema(stored)).toEqual(one);
    expect(stored.dropCount).toBe(1);
  }
  const stored = encodeSchema(schema);
  for (const dropCount of [0, -1, 1.5, "1", null]) {
    expect(faultOf(() => decodeSchema({ ...stored, dropCount })).code).toBe("corrupt");
  }
  const attributes = stored.attributes.map(([name, one]) => [name, { ...one, column: 1 }]);
  expect(faultOf(() => decodeSchema({ ...stored, attributes })).code).toBe("corrupt");
});

test("damage in a stored schema is reported as corrupt", () => {
  const schema = create({ vector: { type: "[2]f32", ann: true }, t: "string" }, "cosine_distance");
  const stored = JSON.stringify(encodeSchema(schema));
  for (const [from, to] of [
    ['"string"', '"strong"'],
    ["true", "1"],
    ["cosine_distance", "cosine"],
    ["attributes", "attribute"],
  ]) {
    expect(faultOf(() => decodeSchema(JSON.parse(stored.replaceAll(from, to)))).code).toBe(
      "corrupt",
    );
  }
  expect(faultOf(() => decodeSchema(null)).code).toBe("corrupt");
});
