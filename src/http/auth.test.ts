import { expect, test } from "vitest";
import { authCheck } from "./auth.ts";

test("without a key of the server every request passes", () => {
  const check = authCheck(undefined);
  for (const header of [undefined, "", "Basic x", "Bearer x"]) {
    expect(() => check(header)).not.toThrow();
  }
});

test.each(["Bearer right", "bearer right", "BEARER  right  "])("%j has the key", (header) => {
  expect(() => authCheck("right")(header)).not.toThrow();
});

test.each([
  [undefined, "missing API key"],
  ["", "malformed"],
  ["right", "malformed"],
  ["Basic right", "malformed"],
  ["Bearer", "malformed"],
  ["Bearer right key", "malformed"],
  ["Bearer  ", "malformed"],
  ["Bearer Right", "unknown API key"],
  ["Bearer righ", "unknown API key"],
  ["Bearer rightt", "unknown API key"],
])("%j is unauthorized: %s", (header, message) => {
  const attempt = () => authCheck("right")(header);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(expect.objectContaining({ code: "unauthorized" }));
});

test("no refusal says what the key is, or what was sent", () => {
  for (const header of ["Bearer s3nt", "Basic s3nt"]) {
    try {
      authCheck("k3y")(header);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toMatch(/s3nt|k3y/);
    }
  }
});
