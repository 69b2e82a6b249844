import { expect, test } from "vitest";
import { creatingWrite, inferSchema } from "./infer-schema.ts";

function typesOf(document: unknown): Record<string, string> {
  const inferred = inferSchema(JSON.stringify(document));
  if (inferred.kind === "fault") throw new Error(inferred.message);
  return Object.fromEntries(inferred.attributes.map(({ name, type }) => [name, type]));
}

test("each JSON value has the type that the server would take it for, or a better one", () => {
  expect(
    typesOf({
      id: 1,
      title: "A walrus at sea",
      tag: "sea",
      year: 1999,
      price: 1.5,
      sold: false,
      made: "2024-05-01T10:00:00Z",
      key: "123e4567-e89b-12d3-a456-426614174000",
      tags: ["a", "b"],
      sizes: [1, 2],
      vector: [0.1, 0.2],
      other: Array.from({ length: 8 }, (_, i) => i / 8),
      many: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    }),
  ).toEqual({
    title: "string",
    tag: "string",
    year: "int",
    price: "float",
    sold: "bool",
    made: "datetime",
    key: "uuid",
    tags: "[]string",
    sizes: "[]int",
    vector: "[2]f32",
    other: "[8]f32",
    many: "[][3]f32",
  });
});

test("sentences are searched by words, and single words are not", () => {
  const inferred = inferSchema('{"id":1,"title":"A walrus at sea","tag":"sea"}');
  expect(inferred).toMatchObject({ attributes: [{ fullText: true }, { fullText: false }] });
});

test("what has no type yet is left out with a note", () => {
  const inferred = inferSchema('{"id":"a","empty":[],"none":null}');
  expect(inferred).toMatchObject({ kind: "schema", attributes: [] });
  expect(inferred).toMatchObject({ notes: [/"empty" is empty/, /"none" is null/].map(matching) });
});

test.each([
  ['{"id":1', "This is no JSON"],
  ["[1]", "one JSON object"],
  ["null", "one JSON object"],
  ['{"title":"a"}', 'needs an "id"'],
  ['{"id":1.5}', '"id" must be'],
  ['{"id":1,"a":{"b":1}}', '"a" is an object'],
  ['{"id":1,"a":[1,"b"]}', '"a" has values'],
  ['{"id":1,"a":["b",true]}', '"a" mixes types'],
  ['{"id":1,"a":[[1],[1,2]]}', '"a" has arrays in it'],
])("%s is told what is wrong with it", (text, message) => {
  expect(inferSchema(text)).toEqual({
    kind: "fault",
    message: expect.stringContaining(message),
  });
});

test("the write declares what was inferred, and keeps the id exact", () => {
  const inferred = inferSchema('{"id":18446744073709551615,"vector":[1,0],"text":"a b c"}');
  if (inferred.kind === "fault") throw new Error(inferred.message);
  expect(creatingWrite(inferred.document, inferred.attributes)).toEqual({
    upsert_rows: [{ id: 2n ** 64n - 1n, vector: [1, 0], text: "a b c" }],
    schema: {
      vector: { type: "[2]f32", ann: true },
      text: { type: "string", full_text_search: true },
    },
    distance_metric: "cosine_distance",
  });
});

function matching(pattern: RegExp) {
  return expect.stringMatching(pattern);
}
