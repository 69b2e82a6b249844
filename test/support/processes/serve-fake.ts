/** A program for tests of starting and stopping: the real `serve` over a fake engine. */

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { KeyRing } from "../../../src/access/key-ring.ts";
import { KeyStore } from "../../../src/access/key-store.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { processOptions, serve } from "../../../src/cli/serve.ts";
import { readSettings } from "../../../src/cli/settings/read-settings.ts";
import { serverConfig } from "../../../src/cli/settings/server-config.ts";
import { SIGNAL_REPEAT_MS } from "../../../src/cli/signal-repeat.ts";
import { thisMachine } from "../../../src/cli/this-machine.ts";
import { MemoryObjectStore } from "../../../src/storage/memory-object-store.ts";
import { FakeEngine, jsonAnswer } from "../servers/fake-engine.ts";

const engine = new FakeEngine();
const close = engine.close.bind(engine);
engine.close = async () => {
  await close();
  writeSync(1, "engine closed\n");
};
// A query takes until the test says "go" on stdin; everything else is answered at once.
engine.answer = ({ operation }) =>
  operation === "query"
    ? new Promise((resolve) => answers.push(() => resolve(jsonAnswer({ rows: [] }))))
    : jsonAnswer({ status: "OK" });

const answers: (() => void)[] = [];
/** Stands still, so that signals repeat at once however slow the machine is. */
let monotonicMs = 0;
const clock: Clock = { ...systemClock, monotonicMs: () => monotonicMs };

/** What the test may say on stdin, a line each. */
const orders = new Map([
  ["go", () => answers.splice(0).forEach((answer) => void answer())],
  [
    "later",
    () => {
      monotonicMs += SIGNAL_REPEAT_MS;
      writeSync(1, "it is later\n");
    },
  ],
]);

const program = createProgram("0.0.0-test", {
  serve: async (flags) => {
    const settings = readSettings({ flags, environment: process.env });
    const config = { ...serverConfig(settings, thisMachine()), indexerFlags: undefined };
    await serve(config, {
      ...processOptions("0.0.0-test"),
      clock,
      openEngine: async () => engine,
      openKeys: async ({ apiKey: bootstrapKey }, log) => {
        const store = new KeyStore({ store: new MemoryObjectStore(), random: systemRandom, log });
        return new KeyRing({ store, clock, log, bootstrapKey });
      },
    });
    createInterface(process.stdin).on("line", (order) => orders.get(order)?.());
  },
  index: async () => {},
  certify: async () => {},
});

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`trawl: ${error.message}\n`);
  process.exit(1);
});
