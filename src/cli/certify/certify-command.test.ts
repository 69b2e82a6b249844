import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { WorkingStore } from "../../../test/support/stores/working-store.ts";
import { systemClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/random.ts";
import { openObjectStore } from "../../storage/access/open-object-store.ts";
import { CERTIFICATION_CASES } from "../../storage/certify/certification.ts";
import { ALWAYS, type ObjectBody, type ObjectKey } from "../../storage/object-store.ts";
import { runCertifyCommand } from "./certify-command.ts";
import { processCases } from "./certify-processes.ts";

const isFull = effort({ usual: false, full: true });
const COUNT = CERTIFICATION_CASES.length + 2;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

async function certify(openStore: typeof openObjectStore) {
  let report = "";
  const started: string[] = [];
  const config = { kind: "directory", root: `${directory.path}/data` } as const;
  const code = await runCertifyCommand(config, {
    clock: systemClock,
    random: seededRandom(25),
    openStore,
    casesOfProcesses: isFull ? processCases : () => [],
    print: (text) => {
      report += text;
    },
    progress: (text) => started.push(text),
  });
  return { code, report, started };
}

// Runs only in heavy runs, because processes take the longest. In `npm test` certification.test.ts
// tests the other promises, and fs-object-store.durability.test.ts those of processes.
test.runIf(isFull)("a directory passes, with processes that race and are killed", async () => {
  const { code, report, started } = await certify(openObjectStore);
  expect(report).toContain(`${COUNT} of ${COUNT} promises kept; 0 conditional puts`);
  expect(report).toMatch(/100 races, one winner each \(\d+ \+ \d+ \+ \d+ \+ \d+\)/);
  expect(report).toMatch(/3 kills, 3\d\d acknowledged puts, none lost/);
  expect(report).toContain("This store can be used.");
  expect(started).toHaveLength(COUNT);
  expect(started[0]).toMatch(new RegExp(`^1 of ${COUNT}: `));
  expect(code).toBe(0);
  expect(await readdir(`${directory.path}/data`)).toEqual(["~staging"]);
});

test("a store that breaks a promise gets 1, and the report says what was seen", async () => {
  class Ignoring extends WorkingStore {
    override put(key: ObjectKey, body: ObjectBody) {
      return this.store.put(key, body, ALWAYS);
    }
  }
  const open = async () => ({ store: new Ignoring(), exclusive: true });
  const { code, report } = await certify(open);
  expect(report).toMatch(/FAIL {2}put-if-absent conflicts .*\n.*the second put: .*"written"/);
  expect(report).toMatch(/FAIL {2}of 64 conditional puts .*\n.*64 of 64 puts of one key/);
  expect(report).toContain("This store must not be used.");
  expect(code).toBe(1);
});
