/** `/openapi.json` as programs get it. */

import { expect, test } from "vitest";
import { httpFixture } from "../support/servers/http-fixture.ts";

test("the reference needs no key, is made once, and is known again by its etag", async () => {
  const { server } = httpFixture({ apiKey: "secret" });
  const get = (headers = {}) => server.app.inject({ url: "/openapi.json", headers });
  const first = await get();
  expect([first.statusCode, first.json()]).toEqual([200, { openapi: "3.1.0" }]);
  expect(first.headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-cache",
    etag: expect.stringMatching(/^"[\w-]{22}"$/),
  });
  const again = await get({ "if-none-match": `"other", W/${first.headers.etag}` });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
  expect((await get({ "if-none-match": '"other"' })).statusCode).toBe(200);
  const posted = await server.app.inject({ method: "POST", url: "/openapi.json" });
  // Of other methods nothing is said without a key.
  expect(posted.statusCode).toBe(401);
});
