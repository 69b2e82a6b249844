import { expect, inject, test } from "vitest";
import { runTrawl } from "../support/processes/run-trawl.ts";

test("trawl openapi prints to the byte what a server answers, and asks none", async () => {
  // Nothing listens there.
  const environment = { TURBOPUFFER_BASE_URL: "http://127.0.0.1:1" };
  const { code, out, err } = await runTrawl(["openapi"], { environment });
  expect([code, err]).toEqual([0, ""]);
  const served = await fetch(`${inject("serverUrl")}/openapi.json`);
  expect(out).toBe(`${await served.text()}\n`);
  expect(JSON.parse(out)).toMatchObject({ openapi: "3.1.0", info: { title: "Trawl" } });
});

test("trawl openapi takes nothing else", async () => {
  const { code, out } = await runTrawl(["openapi", "--out", "x.json"]);
  expect([code, out]).toEqual([2, ""]);
});
