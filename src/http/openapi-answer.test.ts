import { expect, test } from "vitest";
import { OpenapiAnswer } from "./openapi-answer.ts";

test("is made once, and again where that failed", async () => {
  let makes = 0;
  const openapi = new OpenapiAnswer(async () => {
    if (++makes === 1) throw new Error("no disk");
    return { openapi: "3.1.0" };
  });
  await expect(openapi.answer({})).rejects.toThrow("no disk");
  expect(Buffer.from((await openapi.answer({})).body).toString()).toBe('{"openapi":"3.1.0"}');
  await openapi.answer({});
  expect(makes).toBe(2);
});
