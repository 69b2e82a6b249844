import { expect, test } from "vitest";
import { invalid, malformed } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import { WriteBodyParser } from "../write/parse-write.ts";
import { readJsonBody, withPlaces } from "./json-body.ts";
import { ANY_FORM } from "./json-form.ts";
import { UnknownMembers } from "./unknown-members.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("a fault was expected");
}

function read(body: string, fault: Error): string {
  return messageOf(() =>
    runSteps(
      readJsonBody(encode(body), { form: ANY_FORM, unknown: new UnknownMembers() }, () => {
        throw fault;
      }),
    ),
  );
}

test("a fault of shape is told the line and column of its top-level member", () => {
  const body = '{"a": 1,\n "b":\n  [{"c": 2}]}';
  expect(read(body, malformed("b[0].c", "no"))).toMatch(/: b\[0\]\.c: no at line 3 column 3$/);
  expect(read(body, malformed("a", "no"))).toMatch(/: a: no at line 1 column 7$/);
  expect(read(body, malformed("a", "no", "try 2"))).toMatch(/: a: no at line 1 column 7; try 2$/);
});

test("faults that have a place, no path, an absent member or another code stay as they are", () => {
  for (const fault of [
    malformed("a", "no at line 7 column 9"),
    malformed("", "no"),
    malformed("z.y", "no"),
    invalid("💔 a: no"),
  ]) {
    expect(read('{"a": 1}', fault)).toBe(fault.message);
    expect(
      messageOf(() =>
        withPlaces(
          () => undefined,
          () => {
            throw fault;
          },
        ),
      ),
    ).toBe(fault.message);
  }
});

test("writes know the places of members that are checked at their end, chunk by chunk", () => {
  const body = encode('{"deletes": [1],\n  "distance_metric" : "bad" , "schema": {"a": 1}}');
  for (const chunkBytes of [1, 7, body.length]) {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    for (let at = 0; at < body.length; at += chunkBytes) {
      runSteps(parser.push(body.subarray(at, at + chunkBytes)));
    }
    expect(messageOf(() => runSteps(parser.finish()))).toMatch(
      /`bad`, .* at line 2 column 23; use `cosine_distance` or/,
    );
  }
});
