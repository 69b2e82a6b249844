import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { CERTIFICATION_CASES } from "../storage/certification.ts";
import { runCertifyCommand } from "./certify-command.ts";

test("a directory passes, with processes that race and are killed", async () => {
  const { path, remove } = await temporaryDirectory();
  let report = "";
  const started: string[] = [];
  try {
    const config = { kind: "directory", root: `${path}/data` } as const;
    const code = await runCertifyCommand(config, {
      clock: systemClock,
      random: systemRandom,
      print: (text) => {
        report += text;
      },
      progress: (text) => started.push(text),
    });
    const count = CERTIFICATION_CASES.length + 2;
    expect(report).toContain(`${count} of ${count} promises kept; 0 conditional puts`);
    expect(report).toMatch(/100 races, one winner each \(\d+ \+ \d+ \+ \d+ \+ \d+\)/);
    expect(report).toMatch(/3 kills, 3\d\d acknowledged puts, none lost/);
    expect(started).toHaveLength(count);
    expect(started[0]).toMatch(new RegExp(`^1 of ${count}: `));
    expect(code).toBe(0);
  } finally {
    await remove();
  }
});
