import { expect, test } from "vitest";
import { runSteps, type Steps } from "../base/steps.ts";
import { wholeBody } from "./whole-body.ts";

function bodyOf(...chunks: readonly string[]) {
  const rest = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return { next: async () => rest.shift() };
}

test("the chunks of a body are joined in steps", async () => {
  let stepCount = 0;
  const count = <T>(steps: Steps<T>): Promise<T> => {
    const counted = (function* (): Steps<T> {
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
        stepCount++;
        yield;
      }
    })();
    return Promise.resolve(runSteps(counted));
  };
  const whole = await wholeBody(bodyOf("ab", "", "c", "de"), { run: count });
  expect(Buffer.from(whole).toString()).toBe("abcde");
  expect(stepCount).toBe(4);
  expect(await wholeBody(bodyOf(), { run: count })).toHaveLength(0);
});
