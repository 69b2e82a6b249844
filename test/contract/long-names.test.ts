/** Names far over their limits: what refuses them quotes a bounded part, and changes nothing. */

import { beforeAll, expect, test } from "vitest";
import { LONG_NAME_REQUESTS, pathOf } from "../support/documents/long-names.ts";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { call, write, documents } = contractServer("long-names");

const NAMESPACE = "long-names";
/** Quoted parts, and the lists of what would have been valid. */
const ERROR_CHARS_MAX = 1500;

beforeAll(async () => {
  expect((await write(NAMESPACE, { upsert_rows: [{ id: 1, n: 1 }] })).status).toBe(200);
});

test.each(
  LONG_NAME_REQUESTS.flatMap((request) =>
    ["y", "$", "é ", "🐡"].map((letter) => ({ ...request, letter })),
  ),
)("$title of $letter", async ({ letter, ...request }) => {
  // A name that begins with `$` breaks another rule, which may come first.
  const text = letter === "$" ? "" : request.text;
  const body = request.body.replace("$NAME", () => letter.repeat(100_000));
  const answer = await call("POST", pathOf(request, NAMESPACE), body);
  expectError(answer, request.status, text);
  expect(answer.text.length).toBeLessThan(ERROR_CHARS_MAX);
  expect(await documents(NAMESPACE)).toEqual([{ id: 1, n: 1 }]);
});
