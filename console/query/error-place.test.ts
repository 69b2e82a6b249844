import { expect, test } from "vitest";
import { errorPlace, parsePath } from "./error-place.ts";

const TEXT = `{
  "rank_by": ["titel", "BM25", "wälrus"],
  "filters": ["And", [["year", "Ltx", 2000], ["tags", "Contains", "a"]]],
  "limit": 10, "include_attributes": ["nope"],
  "odd name": [1],
  "compute_attributes": {"h": ["Highlight", "year"]}
}`;

function shown(message: string, text = TEXT): string | undefined {
  const place = errorPlace(message, text);
  return place && text.slice(place.start, place.end);
}

const SHAPE = "Failed to deserialize the JSON body into the target type: ";

test.each([
  [
    `${SHAPE}filters[1][0][1]: unknown operator "Ltx", did you mean "Lt"? at line 3 column 9`,
    '"Ltx"',
  ],
  ['💔 invalid rank_by field "titel": attribute "titel" not found in schema', '"titel"'],
  ["filter error in key `tags`: type mismatch, Contains expects string, but got '1'", '"tags"'],
  ["💔 limit must be between 1 and 10000, got 0", "10"],
  [
    '💔 attribute "nope" not found in schema, cannot be part of `include_attributes`. consider',
    '"nope"',
  ],
  ['💔 compute_attributes.h: cannot highlight attribute "year"', '["Highlight", "year"]'],
  ['💔 ["odd name"][0]: is odd', "1"],
  ["💔 rank_by[3]: `last_as_prefix` must be true or false", '"rank_by"'],
  [`${SHAPE}rank_by[1]: data did not match at line 2 column 14`, '"BM25"'],
])("%s is shown in the text", (message, range) => {
  expect(shown(message)).toBe(range);
});

test("faults of one of several queries are shown in that query", () => {
  const text = `{"queries": [{"filters": ["year", "Lt", 1]}, {"filters": ["year", "Lt", "x"]}]}`;
  const message = "💔 queries[1]: filter error in key `year`: type mismatch";
  expect(errorPlace(message, text)?.start).toBe(text.lastIndexOf('"year"'));
  expect(shown("💔 queries[0].filters[2]: no", text)).toBe("1");
  expect(shown("💔 queries[1]: something else", text)).toBe(text.slice(45, -2));
});

test("syntax faults are shown by their line and column, which count bytes", () => {
  const text = '{\n "ä": "ää",,}';
  const message = "Failed to parse the request body as JSON: expected a name at line 2 column 15";
  expect(errorPlace(message, text)).toEqual({ start: 13, end: 14 });
  expect(text[13]).toBe(",");
});

test("messages without a place have none", () => {
  expect(errorPlace("🤷 namespace 'x' was not found", TEXT)).toBeUndefined();
  expect(errorPlace("💔 limit must be between 1 and 10000, got 0", "{,}")).toBeUndefined();
});

test("paths are read as the server writes them", () => {
  expect(parsePath('queries[0].filters[2]["a \\"b\\""].c-d')).toEqual([
    "queries",
    0,
    "filters",
    2,
    'a "b"',
    "c-d",
  ]);
});
