import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { testTerminal } from "../../../test/support/servers/run-cli.ts";
import { ProgressReporter } from "./progress-reporter.ts";

function reporter(given: { errIsTerminal?: boolean; quiet?: boolean }) {
  const clock = new InstantClock();
  const terminal = testTerminal({ errIsTerminal: given.errIsTerminal ?? false });
  const progress = new ProgressReporter(terminal, clock, given.quiet ?? false);
  return { clock, progress, said: terminal.said };
}

test("where nobody may look, there is a line every few seconds", async () => {
  const { clock, progress, said } = reporter({});
  const task = progress.start({ label: "exporting books", unit: "document", total: 20_000 });
  task.advance(4_000);
  expect(said.err).toBe("");
  await clock.sleep(5_000);
  clock.tick();
  task.advance(8_000);
  await clock.sleep(5_000);
  clock.tick();
  task.end();
  clock.tick();
  expect(said.err).toBe(
    "exporting books 4,000 documents of 20,000 · 800/s · 20.0 s left\n" +
      "exporting books 12,000 documents of 20,000 · 1,200/s · 6.7 s left\n",
  );
});

test("a request that is tried again is named, with what is done meanwhile", async () => {
  const { clock, progress, said } = reporter({});
  const task = progress.start({ label: "importing", unit: "row", total: 10_000 });
  const linesAfter = async (ms: number) => {
    said.err = "";
    await clock.sleep(ms);
    clock.tick();
    return said.err;
  };
  await clock.sleep(1_000);
  task.advance(3_000);
  progress.wait("trying again", 20_000, "too much at once");
  expect(said.err).toMatch(/^trying again in 20\.0 s: too much at once\n/);
  expect(await linesAfter(9_000)).toBe(
    "importing 3,000 rows of 10,000 · 300/s · trying again in 11.0 s: too much at once\n",
  );
  expect(await linesAfter(20_000)).toBe(
    "importing 3,000 rows of 10,000 · 100/s · trying again: too much at once\n",
  );
  expect(await linesAfter(10_000)).toBe(
    "importing 3,000 rows of 10,000 · 0/s · trying again: too much at once\n",
  );
  task.advance(600);
  expect(await linesAfter(0)).toBe("importing 3,600 rows of 10,000 · 20/s · 5 min 20 s left\n");
  task.end();
});

test("on a terminal there is a bar, drawn ten times a second at most, that goes away", async () => {
  const { clock, progress, said } = reporter({ errIsTerminal: true });
  const task = progress.start({ label: "importing", unit: "byte", total: 2 ** 20, done: 2 ** 19 });
  await clock.sleep(50);
  task.advance(1);
  const before = said.err;
  expect(before).toBe(
    `\r\u001b[Kimporting ${"█".repeat(10)}${"░".repeat(10)} 512.0 KiB of 1.0 MiB · 0 B/s`,
  );
  await clock.sleep(950);
  task.advance(2 ** 18 - 1);
  expect(said.err.slice(before.length)).toContain("768.0 KiB of 1.0 MiB · 256.0 KiB/s · 1.0 s");
  task.end();
  const ended = said.err;
  expect(ended.endsWith("\r\u001b[K")).toBe(true);
  task.end();
  expect(said.err).toBe(ended);
});

test("what is said in between stands above the bar", () => {
  const { progress, said } = reporter({ errIsTerminal: true });
  const task = progress.start({ label: "x", unit: "document" });
  progress.note("trying again");
  expect(said.err).toContain("\r\u001b[Ktrying again\n\r\u001b[Kx 0 documents");
  task.end();
});

test("with --quiet nothing is shown", () => {
  const { clock, progress, said } = reporter({ errIsTerminal: true, quiet: true });
  const task = progress.start({ label: "x", unit: "document" });
  progress.note("trying again");
  clock.tick();
  task.end();
  expect(said.err).toBe("");
});
