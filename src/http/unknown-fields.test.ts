/** What HTTP adds to unknown fields: who is strict, the log, the metrics, and what pages may read. */

import { expect, test } from "vitest";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import { httpFixture } from "../../test/support/servers/http-fixture.ts";

const url = "/v2/namespaces/a/query";
const WARNING = 'unknown field "queries[0].filter" is ignored';

function inject({ server }: ReturnType<typeof httpFixture>, headers: Record<string, string> = {}) {
  return server.app.inject({ method: "POST", url, headers, payload: "{}" });
}

test("a request's header says whether it is strict, and else the setting", async () => {
  for (const strict of [false, true]) {
    const fixture = httpFixture({ strict });
    await inject(fixture);
    await inject(fixture, { "trawl-strict": "true" });
    await inject(fixture, { "trawl-strict": "false" });
    expect(fixture.engine.seen.map(({ isStrict }) => isStrict)).toEqual([strict, true, false]);
    const refused = await inject(fixture, { "trawl-strict": "1" });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error).toContain('trawl-strict must be "true" or "false", got "1"');
    expect(fixture.engine.seen).toHaveLength(3);
    await fixture.server.close();
  }
});

test("a warning reaches the client, the log once, and the metrics each time", async () => {
  const fixture = httpFixture({ allowedOrigins: ["https://app.example"] });
  const { engine, server, lines } = fixture;
  engine.answer = () => {
    const answer = jsonAnswer({});
    return { ...answer, headers: { ...answer.headers, "trawl-warning": WARNING } };
  };
  for (let i = 0; i < 3; i++) {
    const { headers } = await inject(fixture, { origin: "https://app.example" });
    expect(headers["trawl-warning"]).toBe(WARNING);
    expect(headers["access-control-expose-headers"]).toContain("trawl-warning");
  }
  expect(lines.filter(({ level }) => level === "warn")).toEqual([
    {
      level: "warn",
      message: "unknown fields are ignored",
      facts: { operation: "query", namespace: "a", warning: WARNING },
    },
  ]);
  const metrics = await server.app.inject({ method: "GET", url: "/metrics" });
  expect(metrics.body).toContain('trawl_http_unknown_fields_total{operation="query"} 3\n');
  await server.close();
});
