import { expect, test } from "vitest";
import { formatOrder, pageQuery, parseOrder } from "./document-page.ts";

const SCHEMA = {
  id: { type: "uint" },
  year: { type: "int", filterable: true },
  title: { type: "string", filterable: false },
  tags: { type: "[]string", filterable: true },
  wide: { type: "[10752]f32" },
};
const BY_ID = { attribute: "id", direction: "asc" } as const;
const base = { schema: SCHEMA, columns: ["title"], order: BY_ID, conditions: [] };

test("the first page asks for what is shown, in order of id", () => {
  expect(pageQuery({ ...base, after: undefined })).toEqual({
    rank_by: ["id", "asc"],
    filters: undefined,
    limit: 100,
    include_attributes: ["title"],
    vector_encoding: "base64",
  });
});

test("the next one begins behind the last id, under the same filter", () => {
  const conditions = [["year", "Gt", 5]] as const;
  const after = { id: 2n ** 63n };
  expect(pageQuery({ ...base, conditions, after })).toMatchObject({
    filters: ["And", [...conditions, ["id", "Gt", 2n ** 63n]]],
  });
  const order = { attribute: "id", direction: "desc" } as const;
  expect(pageQuery({ ...base, order, after })).toMatchObject({ filters: ["id", "Lt", 2n ** 63n] });
});

test("in the order of an attribute, equal values go on by id, and null is below all", () => {
  const filtersAfter = (direction: "asc" | "desc", year: number | undefined) => {
    const order = { attribute: "year", direction } as const;
    return pageQuery({ ...base, order, after: { id: 3, year } });
  };
  const same = (value: number | null) => [
    "And",
    [
      ["year", "Eq", value],
      ["id", "Gt", 3],
    ],
  ];
  expect(filtersAfter("asc", 5)).toMatchObject({
    filters: ["Or", [same(5), ["year", "Gt", 5]]],
    include_attributes: ["title", "year"],
  });
  expect(filtersAfter("desc", 5).filters).toEqual([
    "Or",
    [same(5), ["year", "Lt", 5], ["year", "Eq", null]],
  ]);
  expect(filtersAfter("asc", undefined).filters).toEqual([
    "Or",
    [same(null), ["year", "NotEq", null]],
  ]);
  expect(filtersAfter("desc", undefined).filters).toEqual(same(null));
});

test("pages with long vectors have fewer documents", () => {
  expect(pageQuery({ ...base, columns: ["wide"], after: undefined }).limit).toBe(24);
});

test("an order is read as it was written, and falls back to id", () => {
  for (const text of ["-year", "year", "-id"]) {
    expect(formatOrder(parseOrder(text, SCHEMA))).toBe(text);
  }
  for (const text of [null, "", "title", "tags", "missing", "id"]) {
    expect(formatOrder(parseOrder(text, SCHEMA))).toBeUndefined();
  }
});
