import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { parseRecallBody } from "../query/parse-recall.ts";
import { parseMetadataPatch, parseSchemaBody } from "./parse-namespace-bodies.ts";

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test.each([
  [{}, {}],
  [{ pinning: true }, { pinning: { replicas: 1 } }],
  [{ pinning: {} }, { pinning: { replicas: 1 } }],
  [
    { pinning: { replicas: 3 }, read_only: true },
    { pinning: { replicas: 3 }, readOnly: true },
  ],
  [{ pinning: null }, { pinning: null }],
  [
    { pinning: false, read_only: false },
    { pinning: null, readOnly: false },
  ],
  [{ read_only: null }, {}],
])("%j changes the metadata", (body, patch) => {
  expect(runSteps(parseMetadataPatch(json(body)))).toEqual(patch);
});

test.each([
  [{ pinning: { replicas: 0 } }, "invalid", "💔 replicas must be greater than 0"],
  [{ pinning: { replicas: "x" } }, "malformed", "pinning: data did not match any variant of"],
  [{ pinning: 3 }, "malformed", "untagged enum UpdatePinningInput"],
  [{ pinning: [] }, "malformed", "untagged enum UpdatePinningInput"],
  [{ read_only: 1 }, "malformed", "read_only: invalid type"],
  [[], "malformed", "invalid type: sequence"],
])("the metadata change %j is refused", (body, code, text) => {
  const parse = () => runSteps(parseMetadataPatch(json(body)));
  expect(parse).toThrow(expect.objectContaining({ code }));
  expect(parse).toThrow(text);
});

test("a schema body is the bare map", () => {
  expect(runSteps(parseSchemaBody(json({ a: "uint" })))).toEqual(new Map([["a", "uint"]]));
  const drop = json({ schema: { drop: true } }); // An attribute may be called so.
  expect(runSteps(parseSchemaBody(drop)).get("schema")).toEqual(new Map([["drop", true]]));
  expect(() => runSteps(parseSchemaBody(json([])))).toThrow("expected a map");
  expect(() => runSteps(parseSchemaBody(json({ a: null })))).toThrow(
    "untagged enum AttributeSchemaInput",
  );
});

test("recall has defaults", () => {
  const defaults = {
    sampleCount: 25,
    topK: 10,
    filter: undefined,
    rankBy: undefined,
    includeGroundTruth: false,
  };
  expect(runSteps(parseRecallBody(json({})))).toEqual(defaults);
  expect(runSteps(parseRecallBody(new Uint8Array(0)))).toEqual(defaults);
});

test("recall takes a ranking of its own", () => {
  const body = { rank_by: ["v", "ANN", [1]], num: 1, top_k: 5, include_ground_truth: true };
  expect(runSteps(parseRecallBody(json(body)))).toMatchObject({
    sampleCount: 1,
    topK: 5,
    rankBy: { kind: "vector", attribute: "v" },
    includeGroundTruth: true,
  });
});

test.each([
  [{ num: 0 }, "invalid"],
  [{ num: 10_001 }, "invalid"],
  [{ num: -1 }, "malformed"],
  [{ top_k: 0 }, "invalid"],
  [{ top_k: "x" }, "malformed"],
  [{ num: 2, rank_by: ["v", "ANN", [1]] }, "invalid"],
  [{ rank_by: ["a", "asc"] }, "invalid"],
  [{ include_ground_truth: 1 }, "malformed"],
])("the recall body %j is refused", (body, code) => {
  expect(() => runSteps(parseRecallBody(json(body)))).toThrow(expect.objectContaining({ code }));
});
