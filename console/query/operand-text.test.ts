import { expect, test } from "vitest";
import { operatorsOf } from "./filter-operators.ts";
import { readValue, readValues } from "./operand-text.ts";
import { readRequestSchema } from "./request-schema.ts";

/** A filterable attribute of a type. */
function attributeOf(type: string) {
  const attribute = readRequestSchema({ a: { type, filterable: true, glob: true } }).get("a");
  if (attribute === undefined) throw new Error("the schema lost an attribute");
  return attribute;
}

test("operands follow the type", () => {
  const read = (type: string, text: string) => readValue(text, attributeOf(type));
  expect(read("string", "12")).toEqual({ value: "12" });
  expect(read("string", "null")).toEqual({ value: "null" });
  expect(read("int", "-12")).toEqual({ value: -12 });
  expect(read("uint", "18446744073709551615")).toEqual({ value: 2n ** 64n - 1n });
  expect(read("float", "1.5e3")).toEqual({ value: 1500 });
  expect(read("bool", "true")).toEqual({ value: true });
  expect(read("[]int", "3")).toEqual({ value: 3 });
  expect(readValues("1, 2", attributeOf("int"))).toEqual({ value: [1, 2] });
});

test("texts that are no operand are told so", () => {
  const read = (type: string, text: string) => readValue(text, attributeOf(type));
  expect(read("int", "1.5")).toEqual({ problem: '"1.5" is no integer' });
  expect(read("uint", "-1")).toEqual({ problem: '"-1" is no whole number from 0' });
  expect(read("float", "")).toEqual({ problem: "type a value of type float" });
  expect(read("bool", "yes")).toEqual({ problem: "type true or false" });
  expect(readValues("1,b", attributeOf("int"))).toEqual({ problem: '"b" is no integer' });
});

test("operators are those that a type has", () => {
  expect(operatorsOf(attributeOf("[3]f32"))).toEqual([]);
  expect(operatorsOf(attributeOf("bool"))).toEqual([
    ...["Eq", "NotEq", "In", "NotIn"],
    ...["IsNull", "IsNotNull"],
  ]);
  expect(operatorsOf(attributeOf("[]string"))[0]).toBe("Contains");
  expect(operatorsOf(attributeOf("string"))).toContain("Glob");
  expect(operatorsOf(attributeOf("int"))).not.toContain("Glob");
});
