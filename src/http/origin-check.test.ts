import { describe, expect, test } from "vitest";
import { httpFixture } from "../../test/support/servers/http-fixture.ts";
import { OriginCheck, type OriginRules } from "./origin-check.ts";
import { ROUTER_ENTRIES } from "./routes/routes.ts";

const RULES: OriginRules = {
  hasKey: () => false,
  host: "127.0.0.1",
  allowedHosts: ["trawl", "search.example"],
  allowedOrigins: ["https://app.example"],
};
const check = (headers: Record<string, string>, rules: Partial<OriginRules> = {}) =>
  new OriginCheck({ ...RULES, ...rules }).check(headers);

describe("without a key", () => {
  test.each([
    {},
    { host: "localhost" },
    { host: "localhost:8484" },
    { host: "LOCALHOST.:8484" },
    { host: "app.localhost:8484" },
    { host: "127.0.0.1:8484" },
    { host: "127.1.2.3" },
    { host: "[::1]:8484" },
    { host: "[::1]" },
    { host: "trawl:8484" },
    { host: "Search.Example" },
    { host: "localhost:8484", origin: "http://localhost:8484" },
    { host: "localhost:8484", origin: "http://localhost:8484", "sec-fetch-site": "same-origin" },
    { host: "localhost:8484", "sec-fetch-site": "none" },
    { host: "evil.example", origin: "https://app.example", "sec-fetch-site": "cross-site" },
    { host: "localhost:8484", origin: "HTTPS://app.example" },
  ])("%j passes", (headers) => {
    expect(() => check(headers)).not.toThrow();
  });

  test.each([
    [{ host: "evil.example" }, "--allowed-hosts"],
    [{ host: "localhost.evil.example:8484" }, "'localhost.evil.example'"],
    [{ host: "127.0.0.1.evil.example" }, "--allowed-hosts"],
    [{ host: "10.0.0.5:8484" }, "--allowed-hosts"],
    [{ host: "" }, "--allowed-hosts"],
    [{ host: "localhost:8484@evil.example" }, "--allowed-hosts"],
    [{ host: "localhost:8484", origin: "https://evil.example" }, "--allowed-origins"],
    [{ host: "localhost:8484", origin: "http://localhost:3000" }, "--allowed-origins"],
    [{ host: "localhost:8484", origin: "null" }, "--allowed-origins"],
    [{ host: "localhost:8484", origin: "https://app.example.evil" }, "--allowed-origins"],
    [{ host: "localhost:8484", "sec-fetch-site": "cross-site" }, "--allowed-origins"],
    [{ host: "localhost:8484", "sec-fetch-site": "same-site" }, "--allowed-origins"],
    [{ host: "localhost:8484", "sec-fetch-site": "elsewhere" }, "--allowed-origins"],
    [{ origin: "http://localhost" }, "--allowed-origins"],
  ])("%j is forbidden and told of %s", (headers, setting) => {
    const fault = { code: "forbidden", message: expect.stringContaining(setting) };
    expect(() => check(headers)).toThrow(expect.objectContaining(fault));
  });

  test("who listens for other machines is asked for by any address, but not by any name", () => {
    const host = "0.0.0.0";
    for (const address of ["10.0.0.5:8484", "[fe80::1]:8484"]) check({ host: address }, { host });
    expect(() => check({ host: "evil.example" }, { host })).toThrow("--allowed-hosts");
  });

  test("a star allows all", () => {
    check({ host: "any.example" }, { allowedHosts: ["*"] });
    check({ host: "any.example", origin: "https://any.example" }, { allowedOrigins: ["*"] });
  });
});

test("with a key, pages cannot do anything: they do not know it", () => {
  const headers = { host: "evil.example", origin: "https://evil.example" };
  expect(() => check(headers, { hasKey: () => true })).not.toThrow();
});

describe("over HTTP", () => {
  const allowed = { allowedOrigins: ["https://app.example"] };
  const query = { method: "POST", url: "/v2/namespaces/a/query", payload: "{}" } as const;

  test("a page of another origin reaches no operation", async () => {
    const { engine, server } = httpFixture();
    const headers = {
      host: "localhost",
      origin: "https://evil.example",
      "content-type": "text/plain",
    };
    const answer = await server.app.inject({ ...query, headers });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toEqual({
      status: "error",
      error: expect.stringContaining("web pages of https://evil.example may not use this server"),
    });
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    expect(engine.seen).toEqual([]);
    const health = await server.app.inject({ method: "GET", url: "/healthz", headers });
    expect(health.statusCode).toBe(200);
  });

  // An image or a link of any page on another port of this machine asks so, without `Origin`.
  test("a page of another port reaches no GET, whatever it does", async () => {
    const { engine, server } = httpFixture();
    const gets = ROUTER_ENTRIES.filter(
      ({ methods, url }) => methods.includes("GET") && /^\/(v[12]|trawl|metrics)/.test(url),
    );
    const addresses = gets.map(({ url }) => url.replaceAll(/:\w+/g, "a"));
    expect(addresses).toContain("/v1/namespaces/a/_debug/purge_cache");
    expect(addresses).toContain("/v2/namespaces/a/hint_cache_warm");
    for (const url of addresses) {
      const headers = { host: "localhost:8484", "sec-fetch-site": "same-site" };
      const answer = await server.app.inject({ method: "GET", url, headers });
      expect([url, answer.statusCode]).toEqual([url, 403]);
    }
    expect(engine.signals).toEqual([]);
    for (const site of [undefined, "none", "same-origin"]) {
      const headers = { host: "localhost:8484", ...(site && { "sec-fetch-site": site }) };
      const url = "/v1/namespaces/a/hint_cache_warm";
      expect((await server.app.inject({ method: "GET", url, headers })).statusCode).toBe(200);
    }
  });

  test("a page of an allowed origin may read answers, also errors", async () => {
    const { server } = httpFixture(allowed);
    const headers = { origin: "https://app.example" };
    for (const url of [query.url, "/v2/nothing"]) {
      const answer = await server.app.inject({ ...query, url, headers });
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": "https://app.example",
        vary: "Origin",
      });
    }
    const other = await server.app.inject(query);
    expect(other.headers.vary).toBe("Origin");
    expect(other.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a browser asks what an allowed page may send, also without the key", async () => {
    const { engine, server } = httpFixture({ ...allowed, apiKey: "secret" });
    const headers = {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    };
    const answer = await server.app.inject({ method: "OPTIONS", url: query.url, headers });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers": "authorization,content-type",
    });
    const evil = { ...headers, origin: "https://evil.example" };
    const refused = await server.app.inject({ method: "OPTIONS", url: query.url, headers: evil });
    expect(refused.statusCode).toBe(403);
    expect(refused.headers).not.toHaveProperty("access-control-allow-origin");
    expect(engine.seen).toEqual([]);
  });
});
