import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { faultOf } from "../../test/support/documents/loose-json.ts";
import { checkAttributeName } from "./attribute-name.ts";

test.each(["a", "y".repeat(128), "é".repeat(128), "🐡".repeat(128), "id", "a b", "-"])(
  "%.20s is a name",
  (name) => {
    checkAttributeName(name);
  },
);

test.each([
  ["", "💔 attribute names must not be empty"],
  ["$dist", '💔 attribute name "$dist" must not start with `$`'],
  [`$${"y".repeat(1000)}`, `💔 attribute name "$${"y".repeat(255)}…" must not start with \`$\``],
  ["y".repeat(129), `💔 attribute name "${"y".repeat(40)}…" is too long, limit is 128 characters`],
  [
    "🐡".repeat(129),
    `💔 attribute name "${"🐡".repeat(20)}…" is too long, limit is 128 characters`,
  ],
])("%.20s is none", (name, message) => {
  const fault = faultOf(() => checkAttributeName(name));
  expect([fault.code, fault.message]).toEqual(["invalid", message]);
});

test("a name that fills the heap is refused without a copy", async () => {
  const source = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./attribute-name.ts", import.meta.url).href)})
      .then(({ checkAttributeName }) => checkAttributeName("y".repeat(2 ** 24)))
      .catch((error) => parentPort.postMessage(error.message));
  `;
  // An array of its characters takes 128 MiB; running out of the heap ends the process.
  const worker = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } });
  const message = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  expect(message).toContain("is too long, limit is 128 characters");
  await worker.terminate();
});
