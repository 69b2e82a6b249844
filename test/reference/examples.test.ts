/** The reference's examples, sent to a server: each answers as it is said to. */

import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXAMPLES } from "../../src/reference/examples/examples.ts";
import { listRoutes } from "../../src/reference/route-list.ts";
import { ExampleSender } from "../support/reference/send-examples.ts";
import { fileServer } from "../support/servers/file-server.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";

const KEY = "a-key-of-the-settings";
const TABLE = new URL("../../src/reference/examples/answers-table.ts", import.meta.url);
/** Set to write down new answers instead of comparing them. */
const isRecording = process.env.TRAWL_RECORD_EXAMPLES === "1";

const server = fileServer(() => ({
  arguments: ["--indexer", "off", "--api-key", KEY],
  replaced: OFFLINE_MODELS,
}));

/** Asked for by programs alone, or of a form of their own. */
const WITHOUT_EXAMPLE = new Set([
  ...["begin_restore", "put_restore", "finish_restore", "end_restore"],
  ...["metrics", "openapi", "list_slow_queries"],
]);

test("every operation has an example, and every example an operation", () => {
  const names = new Set(EXAMPLES.map(({ operation }) => operation));
  const operations = new Set(listRoutes().map(({ name }) => name));
  expect(new Set([...names, ...WITHOUT_EXAMPLE])).toEqual(operations);
  expect(new Set(EXAMPLES.map(({ name }) => name)).size).toBe(EXAMPLES.length);
});

test("every example answers as it says", async () => {
  const sender = new ExampleSender(server.url, KEY);
  const recorded: Record<string, unknown> = {};
  for (const example of EXAMPLES) {
    const { raw, answer } = await sender.send(example);
    const said = `${example.name}: ${raw.text}`;
    expect([example.name, raw.status], said).toEqual([example.name, example.status]);
    if (isRecording) recorded[example.name] = answer;
    else expect(answer, said).toEqual(example.answer);
  }
  if (!isRecording) return;
  const kept = Object.entries(recorded).filter(([, answer]) => answer !== undefined);
  writeFileSync(
    TABLE,
    "/** The answers to the examples, as test/reference/examples.test.ts has recorded them. */\n" +
      "export const EXAMPLE_ANSWERS: Readonly<Record<string, unknown>> = " +
      `${JSON.stringify(Object.fromEntries(kept), null, 2)};\n`,
  );
});
