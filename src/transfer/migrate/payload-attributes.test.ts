import { expect, test } from "vitest";
import type { JsonObject } from "../../model/json-value.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import { declaredTypes } from "./declared-types.ts";
import { payloadAttributes } from "./payload-attributes.ts";

function objectOf(text: string): JsonObject {
  return parseJson(Buffer.from(text)) as JsonObject;
}

test.each([
  ['{"a":1,"b":"x","c":true,"d":null}', '{"a":1,"b":"x","c":true}'],
  ['{"a":{"b":{"c":1,"d":[1,2]},"e":null}}', '{"a.b.c":1,"a.b.d":[1,2]}'],
  ['{"t":["x","y"],"n":[1,2.5],"e":[]}', '{"t":["x","y"],"n":[1,2.5],"e":[]}'],
  [
    '{"m":["x",1],"o":[{"a":1}],"l":[[1],[2]],"z":["x",null]}',
    '{"m":"[\\"x\\",1]","o":"[{\\"a\\":1}]","l":"[[1],[2]]","z":"[\\"x\\",null]"}',
  ],
  [
    '{"id":1,"vector":"x","$score":2,"large":18446744073709551615}',
    '{"id_":1,"vector_":"x","_$score":2,"large":18446744073709551615}',
  ],
])("the payload %s", (payload, attributes) => {
  const taken = new Set(["id", "vector"]);
  expect(jsonText(new Map(payloadAttributes(1n, objectOf(payload), taken)))).toBe(attributes);
});

test.each([
  ['{"a.b":"first","a":{"b":"second"}}', "a.b"],
  ['{"id":"x","id_":"y"}', "id_"],
  ['{"$t":1,"_$t":2}', "_$t"],
])("the payload %s is refused, as one value would be lost", (payload, name) => {
  expect(() => payloadAttributes(7n, objectOf(payload), new Set(["id"]))).toThrow(
    `record 7: two values of its payload become the attribute ${JSON.stringify(name)}`,
  );
});

test("numbers of which some have a fraction are declared floats", () => {
  const rows = [
    '{"id":1.5,"price":5,"sizes":[1,2],"n":1,"s":"1.5"}',
    '{"id":2,"price":7.5,"sizes":[0.5],"n":2}',
    '{"id":3,"whole":1.0}',
  ];
  expect(declaredTypes(rows.map(objectOf))).toEqual({
    price: "float",
    sizes: "[]float",
    whole: "float",
  });
});
