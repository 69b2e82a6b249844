/** Decides which steps a change needs. */

import type { Change } from "./changed-files.ts";
import { BUILD_FILES, type Step } from "./ci-steps.ts";

/** The decision about one step. */
export interface Choice {
  readonly step: Step;
  readonly isNeeded: boolean;
  /** Reason for the decision, which is printed. */
  readonly reason: string;
  /** Test files to which the step is limited. If empty, it runs all of its files. */
  readonly testFiles: readonly string[];
  /** Variables that the step has in addition to those of the run. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads the checkout. */
export interface Checkout {
  /** Files that match a glob. */
  readonly match: (glob: string) => readonly string[];
  /** The files with all that they import. */
  readonly closure: (paths: readonly string[]) => ReadonlySet<string>;
}

/** Chooses among `steps`; `wantsAll` says why every step is to run, whatever has changed. */
export function chooseSteps(
  steps: readonly Step[],
  change: Change,
  { checkout, wantsAll }: { readonly checkout: Checkout; readonly wantsAll: string | undefined },
): Choice[] {
  if (wantsAll !== undefined) return steps.map((step) => chosen(step, wantsAll));
  if ("unknown" in change) return steps.map((step) => chosen(step, change.unknown));
  const { files } = change;
  const build = files.find((file) => startsWithOne(file, BUILD_FILES));
  if (build !== undefined) return steps.map((step) => chosenForChange(step, `${build} changed`));
  return steps.map((step) => chooseStep(step, files, checkout));
}

function chooseStep(step: Step, changed: readonly string[], checkout: Checkout): Choice {
  const { subject } = step;
  if (subject === undefined) return chosenForChange(step, "runs for each change");
  const { paths = [], imports = [], tests = [], eachOf = [] } = subject;
  const needed = checkout.closure(imports.flatMap(checkout.match));
  const tested = checkout.closure(tests.flatMap(checkout.match));
  const cause = changed.find((file) => {
    const isTested = tested.has(file) && !file.startsWith("src/");
    // A test next to the sources changes nothing for other tests.
    const isNamed = startsWithOne(file, paths) && !/^(?:src|console)\/.*\.test\.ts$/.test(file);
    return isNamed || needed.has(file) || isTested;
  });
  if (cause !== undefined) return chosenForChange(step, `${cause} changed`);
  const touched = eachOf.filter((test) => {
    return hasOneOf(
      checkout.closure([test]),
      changed.filter((file) => isNear(test, file)),
    );
  });
  if (touched.length > 0) {
    const reason = `${touched.length} of its files import what changed`;
    return { ...chosenForChange(step, reason), testFiles: touched };
  }
  return { ...chosen(step, "nothing that it tests changed"), isNeeded: false };
}

/**
 * Checks whether a test is about a file's module. Tests next to the sources are about their own
 * one; what they import of others has tests there.
 */
function isNear(test: string, file: string): boolean {
  const moduleOf = (path: string) => path.split("/", 2).join("/");
  return test.startsWith("test/") || moduleOf(test) === moduleOf(file);
}

function chosen(step: Step, reason: string): Choice {
  return { step, isNeeded: true, reason, testFiles: [], environment: {} };
}

function chosenForChange(step: Step, reason: string): Choice {
  return { ...chosen(step, reason), environment: step.shorter ?? {} };
}

function startsWithOne(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file.startsWith(path));
}

function hasOneOf(files: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.some((file) => files.has(file));
}
