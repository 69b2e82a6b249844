/**
 * Bodies that are nothing but what nobody reads, or more than anybody may ask for: each is passed
 * over or refused, and the server's memory stays near the bodies themselves.
 */

import { beforeAll, expect, test } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";
import { peakResidentMib } from "../support/servers/resident-memory.ts";

const BODY_BYTES = 54_000_000;
/** A body as it was received, as it is parsed, and once more while a heap has not given it back. */
const RESIDENT_MIB_MAX = 1024;

const server = fileServer(() => ({
  arguments: ["--query-threads", "1", "--log-level", "error"],
}));
const { post } = server;

beforeAll(async () => {
  const body = '{"upsert_rows":[{"id":1,"n":1,"s":"a"}]}';
  expect((await post("/v2/namespaces/t", body)).status).toBe(200);
});

const fill = (element: string) =>
  element.repeat(Math.floor(BODY_BYTES / element.length)).slice(0, -1);
/** Names that differ. */
const fillMembers = () =>
  Array.from({ length: BODY_BYTES / 15 }, (_, i) => `"x${1_000_000 + i}":{}`).join(",");

const QUERY = "/v2/namespaces/t/query";
const FOUND = '"rows":[{"id":1}]';
const LIMIT = "💔 ";

test.each<[string, string, () => string, number, string]>([
  ["unknown objects of a query", QUERY, () => `{"limit":1,"x":[${fill("{},")}]}`, 200, FOUND],
  ["unknown members of a query", QUERY, () => `{"limit":1,${fillMembers()}}`, 200, FOUND],
  ["unknown options", QUERY, () => `{"limit":{"total":1,"x":[${fill("[],")}]}}`, 200, FOUND],
  ["objects of a filter", QUERY, () => `{"limit":1,"filters":[${fill("{},")}]}`, 400, LIMIT],
  ["numbers of a ranking", QUERY, () => `{"limit":1,"rank_by":[${fill("1,")}]}`, 400, LIMIT],
  ["a vector", QUERY, () => `{"limit":1,"rank_by":["v","ANN",[${fill("1,")}]]}`, 400, "dimensions"],
  [
    "escapes",
    QUERY,
    () => `{"limit":1,"filters":["s","Eq","${fill("\\n")}n"]}`,
    400,
    "filters[2]: a string here may have at most 1048576 bytes of JSON",
  ],
  ["one number", QUERY, () => `{"limit":1,"filters":["n","In",[${fill("1,")}]]}`, 200, FOUND],
  [
    "unknown members of a write",
    "/v2/namespaces/t",
    () => `{"deletes":[7],${fillMembers()}}`,
    400,
    "not known",
  ],
  ["a schema", "/v1/namespaces/t/schema", () => `{${fillMembers()}}`, 400, "at most 4096 members"],
])("%s", async (_, path, body, status, text) => {
  const answer = await post(path, body());
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
  const next = await post(QUERY, '{"limit":2,"include_attributes":true}');
  expect(next.text).toContain('"rows":[{"id":1,"n":1,"s":"a"}]');
});

test.runIf(process.platform === "linux")("memory is bounded", async () => {
  expect(await peakResidentMib(server)).toBeLessThan(RESIDENT_MIB_MAX);
});
