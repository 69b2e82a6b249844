/** A program for tests of starting and stopping: the real `serve` over a fake engine. */

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { SIGNAL_REPEAT_MS } from "../../../src/cli/interrupt-signal.ts";
import { FakeEngine, jsonAnswer } from "../servers/fake-engine.ts";
import { fakeProgram } from "../servers/fake-program.ts";

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

const program = fakeProgram({
  engine,
  clock,
  environment: process.env,
  onListening: () => {
    createInterface(process.stdin).on("line", (order) => orders.get(order)?.());
  },
});

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`trawl: ${error.message}\n`);
  process.exit(1);
});
