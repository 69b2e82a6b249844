import { expect, test } from "vitest";
import { parseJson } from "./json-reader.ts";
import { jsonText } from "./json-text.ts";

test.each([
  '["And",[["a","Eq",18446744073709551615],["b","In",[1,2,3,9007199254740993]]]]',
  '["a","Eq",1.0]',
  '["a","In",[1.5,2.0,1e+300]]',
  '{"f":-0.0,"g":[-0.0,0.5],"h":[],"i":18446744073709551615}',
  '{"x":[true,false,null,"\\"\\u0001é"],"y":{}}',
])("%s is written as it was read", (text) => {
  expect(jsonText(parseJson(Buffer.from(text)))).toBe(text);
});
