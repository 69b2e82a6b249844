/** Ids and names far over their limits: refused before they are copied, in few words. */

import { expect, test } from "vitest";
import { faultOf, jsonObject, looseRows } from "../../../test/support/documents/loose-json.ts";
import { runSteps } from "../../base/steps.ts";
import { EMPTY_SCHEMA } from "../../model/schema.ts";
import { bindFilterPatch, bindPatches, bindUpserts } from "../bind/bind-documents.ts";
import { mergeSchema } from "./merge-schema.ts";

const LONG = "x".repeat(8 * 1024 * 1024 + 1);

function contextOf(declared: object) {
  const change = { path: "schema", distanceMetric: undefined, isNewNamespace: true } as const;
  const schema = mergeSchema(EMPTY_SCHEMA, {
    ...change,
    declared: jsonObject(declared),
    dimensionsOf: () => undefined,
  });
  return { schema, isNewNamespace: true, distanceMetric: undefined };
}

const SPARSE = { s: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } } };

test.each<[string, Record<string, unknown>, object, string]>([
  ["a string id", { id: LONG }, {}, "upsert_rows[0].id: the id is 8388609 bytes long"],
  ["an id beyond ASCII", { id: "é".repeat(1e6) }, {}, "the id is 2000000 bytes long"],
  ["a UUID", { id: LONG }, { id: "uuid" }, "could not be parsed as uuid"],
  ["a name", { id: 1, [LONG]: 1 }, {}, "limit is 128 characters"],
  ["a name of 129", { id: 1, ["🐡".repeat(129)]: 1 }, {}, "limit is 128 characters"],
  ["a filterable value", { id: 1, a: LONG }, { a: "string" }, "at most 8388608 bytes"],
  [
    "a dimension's name",
    { id: 1, s: { [LONG]: 1 } },
    SPARSE,
    "upsert_rows[0].s: 8388611 bytes long, a value has at most 8388608 bytes",
  ],
  [
    "a dimension's name without weight",
    { id: 1, s: { [LONG.slice(9)]: "1" } },
    SPARSE,
    "no number",
  ],
  ["a member of an object", { id: 1, a: { [LONG]: 1 } }, { a: "int" }, "but got object {xxx"],
])("%s", (_, row, declared, text) => {
  const fault = faultOf(() => runSteps(bindUpserts(looseRows([row]), contextOf(declared))));
  expect(fault.code).toBe("invalid");
  expect(fault.message).toContain(text);
  expect(fault.message.length).toBeLessThan(500);
});

test("a name in patches, by id and by filter", () => {
  for (const bind of [
    () => runSteps(bindPatches(looseRows([{ id: 1, [LONG]: 1 }]), contextOf({}))),
    () => bindFilterPatch(jsonObject({ [LONG]: 1 }), contextOf({})),
  ]) {
    const fault = faultOf(bind);
    expect(fault.message).toContain("limit is 128 characters");
    expect(fault.message.length).toBeLessThan(200);
  }
});
