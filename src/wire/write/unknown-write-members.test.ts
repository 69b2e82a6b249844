/** Members of a write that nobody reads: passed over while they arrive, and noted once. */

import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import { WriteBodyParser } from "./parse-write.ts";

function parse(body: string, chunkBytes: number, unknown: UnknownMembers) {
  const parser = new WriteBodyParser({ typeOf: () => undefined }, unknown);
  const bytes = new TextEncoder().encode(body);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    runSteps(parser.push(bytes.subarray(at, at + chunkBytes)));
  }
  return runSteps(parser.finish());
}

const BODY =
  '{"deletes":[1],"delete_conditon":["a","Eq",{"x":[1,[2,{"y":"é\\n"}],null]}],' +
  '"schema":{"a":{"type":"string","filterabel":true,"full_text_search":{"stem":true}}},' +
  '"upsert_rows":[{"id":2,"anything":"is an attribute"}],"delete_conditon":1}';

test("they are noted with their path, however the body is cut", () => {
  for (const chunkBytes of [1, 2, 7, 64, BODY.length]) {
    const unknown = new UnknownMembers();
    const request = parse(BODY, chunkBytes, unknown);
    expect(request.deletes?.values.length).toBe(1);
    expect(request.deleteCondition).toBeUndefined();
    expect(request.upserts?.count).toBe(1);
    expect(unknown.warning()?.split("; ")).toEqual([
      'unknown field "delete_conditon" is ignored, did you mean "delete_condition"?',
      'unknown field "schema.a.filterabel" is ignored, did you mean "filterable"?',
      'unknown field "schema.a.full_text_search.stem" is ignored, did you mean "stemming"?',
      'unknown field "delete_conditon" is ignored, did you mean "delete_condition"?',
    ]);
  }
});

test("a strict write is refused where the first one stands", () => {
  const unknown = new UnknownMembers({ isStrict: true });
  const parser = new WriteBodyParser({ typeOf: () => undefined }, unknown);
  const start = '{"upsert_rows":[{"id":1}],"upsert_conditon":["';
  expect(() => runSteps(parser.push(new TextEncoder().encode(start)))).toThrow(
    '💔 unknown field "upsert_conditon", did you mean "upsert_condition"?',
  );
});

test("a long one is passed over as it arrives: a fault is seen at once", () => {
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  const encode = (text: string) => new TextEncoder().encode(text);
  runSteps(parser.push(encode('{"deletes":[1],"x":[{"y":[')));
  const piece = encode("{},".repeat(20_000));
  for (let i = 0; i < 50; i++) runSteps(parser.push(piece));
  const broken = encode(`}${"{},".repeat(20_000)}`);
  const push = () => runSteps(parser.push(broken));
  expect(push).toThrow("x[0].y[1000000]: expected a value at line 1 column");
});
