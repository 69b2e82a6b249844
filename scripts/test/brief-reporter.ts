/**
 * Vitest's report of a run: a dot for each file or test, failures in full, and a summary that fits
 * on a screen. What passing tests print is dropped.
 */

import { MinimalReporter, type TestCase, type TestModule, type Vitest } from "vitest/node";

/** Dots in a line. */
const LINE_MARKS = 80;
/** With fewer files than this, each test has a dot, so that long files show progress. */
const FEW_FILES = 20;
/** Files in the list of the slowest. */
const SLOWEST_FILES = 10;

type File = Parameters<MinimalReporter["reportSummary"]>[0][number];

/** See the file's head. */
export default class BriefReporter extends MinimalReporter {
  #files = 0;
  #done = 0;
  /** Reasons for which tests were skipped, as their files printed them. */
  readonly #reasons = new Set<string>();

  override onInit(vitest: Vitest): void {
    this.ctx = vitest;
  }

  override onTestRunStart(specifications: Parameters<MinimalReporter["onTestRunStart"]>[0]): void {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
    this.log(`running ${this.#files} test files`);
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    const { state } = test.result();
    if (this.#files < FEW_FILES && state !== "pending") this.#mark(state, "");
  }

  override printTestModule(module: TestModule): void {
    const state = module.state();
    if (state === "queued" || state === "pending") return;
    if (this.#files >= FEW_FILES) this.#mark(state, ` of ${this.#files}`);
    // The details follow at the end of the run; the name of the file helps before that.
    if (state === "failed") this.#write(`\nfailed: ${module.relativeModuleId}\n`);
  }

  #mark(state: "passed" | "failed" | "skipped", total: string): void {
    this.#done++;
    this.#write({ passed: ".", skipped: "-", failed: "F" }[state]);
    if (this.#done % LINE_MARKS === 0) this.#write(` ${this.#done}${total}\n`);
  }

  #write(text: string): void {
    this.ctx.logger.outputStream.write(text);
  }

  override onUserConsoleLog(
    ...[log, state]: Parameters<MinimalReporter["onUserConsoleLog"]>
  ): void {
    for (const [reason] of log.content.matchAll(/^skipped: .*/gm)) this.#reasons.add(reason);
    super.onUserConsoleLog(log, state);
  }

  override reportTestSummary(files: File[], errors: unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of this.ctx.state.getTestModules()) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") counts[state]++;
      }
    }
    const { passed, failed, skipped } = counts;
    this.#write("\n");
    for (const reason of [...this.#reasons].sort()) this.log(reason);
    this.#logSlowest(files);
    const seconds = Math.round((this.end - this.start) / 1000);
    if (errors.length > 0) this.log(`errors outside of tests: ${errors.length}`);
    this.log(`test files: ${files.length}, in ${seconds} s`);
    this.log(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }

  #logSlowest(files: readonly File[]): void {
    const timed = files.map(({ name, projectName = "", result }) => {
      return { name, projectName, seconds: (result?.duration ?? 0) / 1000 };
    });
    timed.sort((a, b) => b.seconds - a.seconds);
    if (timed.length <= SLOWEST_FILES) return;
    this.log(`slowest of ${timed.length} files, in seconds:`);
    for (const { name, projectName, seconds } of timed.slice(0, SLOWEST_FILES)) {
      this.log(`${seconds.toFixed(1).padStart(7)}  ${name} (${projectName})`);
    }
  }
}
