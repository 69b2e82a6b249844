/** Names as long as a body may be: each is refused, and the server goes on in bounded memory. */

import { beforeAll, expect, test } from "vitest";
import { LONG_NAME_REQUESTS, pathOf } from "../support/documents/long-names.ts";
import { fileServer } from "../support/servers/file-server.ts";
import { peakResidentMib } from "../support/servers/resident-memory.ts";

/** Below the 64 MiB that the JSON of one value or field of a write may have. */
const NAME_BYTES = { write: 60_000_000, query: 60_000_000, schema: 60_000_000 };
/** The body where it was received, the name as a string, and what a thread's heap keeps of both. */
const RESIDENT_MIB_MAX = 2048;

type LongName = (typeof LONG_NAME_REQUESTS)[number];

const server = fileServer(() => ({
  arguments: ["--query-threads", "1", "--log-level", "warn"],
}));
const { post } = server;

beforeAll(async () => {
  expect((await post("/v2/namespaces/t", '{"upsert_rows":[{"id":1,"n":1}]}')).status).toBe(200);
});

/** Expects the refusal of the request or, for a name above 1 MiB, one for its length. */
function expectRefusal({ status, text }: { status: number; text: string }, request: LongName) {
  const isTooLong = /💔 [^:]+: (a string here may have at most 1048576 bytes|a sparse vector)/;
  if (status === 400 && isTooLong.test(text)) return;
  expect([status, text]).toEqual([request.status, expect.stringContaining(request.text)]);
}

test.each(LONG_NAME_REQUESTS)("$title", async (request) => {
  const name = "y".repeat(NAME_BYTES[request.kind]);
  const answer = await post(pathOf(request, "t"), request.body.replace("$NAME", name));
  expectRefusal(answer, request);
  const next = await post("/v2/namespaces/t/query", '{"limit":2,"include_attributes":true}');
  expect(next.text).toContain('"rows":[{"id":1,"n":1}]');
});

/** Beyond them: what was found before they are there may say so, anything else is a 413. */
const LONG_NAME_BYTES = 130_000_000;

test.each(LONG_NAME_REQUESTS.filter(({ kind }) => kind === "write"))(
  "$title, longer than a field may be",
  async (request) => {
    const body = request.body.replace("$NAME", "y".repeat(LONG_NAME_BYTES));
    const answer = await post(pathOf(request, "t"), body);
    if (answer.status !== 413) expectRefusal(answer, request);
    const next = await post("/v2/namespaces/t/query", '{"limit":2,"include_attributes":true}');
    expect(next.text).toContain('"rows":[{"id":1,"n":1}]');
  },
);

test.runIf(process.platform === "linux")("memory is bounded", async () => {
  expect(await peakResidentMib(server)).toBeLessThan(RESIDENT_MIB_MAX);
});
