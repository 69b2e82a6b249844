import { expect, test } from "vitest";
import { idOfRow, pageRows, rowMembers } from "./page-rows.ts";

const ROWS = [
  '{"id":1}',
  '{"id":"a,\\"}]{[","x\\\\":[{"a":"]"},[1,2]],"t":"\\\\","n":{"b":{}}}',
  '{"id":18446744073709551615,"e":"","f":-0.0}',
];
const ANSWER = Buffer.from(`{"rows":[${ROWS.join(",")}],"billing":{"x":[1]},"performance":{}}`);

test("rows are the bytes of the answer", () => {
  expect(pageRows(ANSWER).map(String)).toEqual(ROWS);
  expect(pageRows(Buffer.from('{"rows":[],"billing":{}}'))).toEqual([]);
});

test("an answer that is cut off, or holds no rows, is refused", () => {
  for (let end = 9; end < ANSWER.indexOf(',"billing"') - 1; end++) {
    expect(() => pageRows(ANSWER.subarray(0, end)), `${end} bytes`).toThrow("ends within");
  }
  expect(() => pageRows(Buffer.from('{"aggregations":{}}'))).toThrow("instead of its rows");
});

test("ids and members are as they are written", () => {
  expect(pageRows(ANSWER).map(idOfRow)).toEqual(["1", '"a,\\"}]{["', "18446744073709551615"]);
  expect([...rowMembers(Buffer.from(ROWS[1]))]).toEqual([
    ["id", '"a,\\"}]{["'],
    ["x\\", '[{"a":"]"},[1,2]]'],
    ["t", '"\\\\"'],
    ["n", '{"b":{}}'],
  ]);
});
