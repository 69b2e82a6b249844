/** A program for tests of starting and stopping: the real `serve` over a fake engine. */

import { writeSync } from "node:fs";
import { createProgram } from "../../../src/cli/program.ts";
import { readSettings } from "../../../src/cli/read-settings.ts";
import { processOptions, serve, thisMachine } from "../../../src/cli/serve.ts";
import { serverConfig } from "../../../src/cli/server-config.ts";
import { FakeEngine, jsonAnswer } from "../servers/fake-engine.ts";

const engine = new FakeEngine();
const close = engine.close.bind(engine);
engine.close = async () => {
  await close();
  writeSync(1, "engine closed\n");
};
// A query takes until the test says so on stdin; everything else is answered at once.
engine.answer = ({ operation }) =>
  operation === "query"
    ? new Promise((resolve) => process.stdin.once("data", () => resolve(jsonAnswer({ rows: [] }))))
    : jsonAnswer({ status: "OK" });

const program = createProgram("0.0.0-test", {
  serve: async (flags) => {
    const settings = readSettings({ flags, environment: process.env });
    const config = { ...serverConfig(settings, thisMachine()), indexerFlags: undefined };
    await serve(config, { ...processOptions("0.0.0-test"), openEngine: async () => engine });
  },
  index: async () => {},
  certify: async () => {},
});

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`trawl: ${error.message}\n`);
  process.exit(1);
});
