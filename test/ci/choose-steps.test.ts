/** Which steps of CI a change needs. */

import { existsSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Checkout, type Choice, chooseSteps } from "../../scripts/ci/choose-steps.ts";
import { BUILD_FILES, STEPS } from "../../scripts/ci/ci-steps.ts";
import { ImportGraph } from "../../scripts/ci/import-graph.ts";
import { PROJECT_FILES, SUITES, shortenedTestFiles } from "../../scripts/test/suites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const graph = new ImportGraph(ROOT);
const checkout: Checkout = {
  match: (glob) => globSync(glob, { cwd: ROOT }),
  closure: (paths) => graph.closure(paths),
};

function chosenFor(...files: string[]): Choice[] {
  const change = { base: "0000", files };
  return chooseSteps(STEPS, change, { checkout, wantsAll: undefined }).filter(
    ({ isNeeded }) => isNeeded,
  );
}

/** The choice for a scheduled run. */
function chosenForAll(): Choice[] {
  const prose = { base: "0000", files: ["CHANGELOG.md"] };
  return chooseSteps(STEPS, prose, { checkout, wantsAll: "CI_ALL is set" });
}

function environmentOf(
  name: string,
  choices: readonly Choice[],
): Choice["environment"] | undefined {
  return choices.find(({ step }) => step.name === name)?.environment;
}

const namesFor = (...files: string[]) => chosenFor(...files).map(({ step }) => step.name);
const ALWAYS = ["format and lint", "types", "npm test"];

describe("a change", () => {
  test("of prose runs what runs for each change", () => {
    expect(namesFor("CHANGELOG.md")).toEqual(ALWAYS);
  });

  test("of a page runs the commands and examples of pages", () => {
    const names = namesFor("docs/backup.md");
    expect(names).toEqual(expect.arrayContaining([...ALWAYS, "programs", "npm package"]));
    expect(names).not.toContain("S3");
    expect(names).not.toContain("console");
  });

  test("of a screen runs the browser, not the server's suites", () => {
    const names = namesFor("console/screens/map/lasso.ts");
    expect(names).toContain("console");
    expect(names).not.toContain("fuzz-http");
    expect(names).not.toContain("S3");
  });

  test("of what a screen imports of the server runs the browser, too", () => {
    expect(namesFor("src/transfer/import/import-plan.ts")).toContain("console");
  });

  test("of a module runs its shortened tests in full, and tests of test/ that import it", () => {
    const all = chosenFor("src/write/bind/duplicate-ids.ts").find(
      ({ step }) => step.name === "all cases of shortened tests",
    );
    expect(all?.testFiles).toContain("src/write/bind/duplicate-ids.test.ts");
    expect(all?.testFiles).toContain("test/engine/crash.test.ts");
    const outside = all?.testFiles.filter((file) => !/^(test|src\/write)\//.test(file));
    expect(outside).toEqual([]);
  });

  test("of a test next to the sources runs that test alone", () => {
    const all = "all cases of shortened tests";
    expect(namesFor("src/write/bind/duplicate-ids.test.ts")).toEqual([...ALWAYS, all]);
    expect(namesFor("src/base/pieces.test.ts")).toEqual(ALWAYS);
    expect(namesFor("src/storage/directory/fs-object-store.test.ts")).not.toContain("S3");
  });

  test("of a file that a mutation breaks tries the mutations", () => {
    expect(namesFor("src/log/wal-writer.ts")).toContain("mutations");
    expect(namesFor("src/text/folding.ts")).not.toContain("mutations");
  });

  test("of what holds documents runs the suites that compare answers", () => {
    const names = namesFor("src/query/filter/and.ts");
    expect(names).toEqual(expect.arrayContaining(["model", "many-values", "fuzz-http"]));
    for (const name of ["hostile-bodies", "kill", "npm package", "console"])
      expect(names).not.toContain(name);
  });

  test("of what keeps writes kills servers, fewer times than a run of everything", () => {
    const choices = chosenFor("src/commit/commit-group.ts");
    expect(environmentOf("kill", choices)).toEqual({ KILL_ROUNDS: "100" });
    expect(environmentOf("kill", chosenFor("package-lock.json"))).toEqual({ KILL_ROUNDS: "100" });
    expect(environmentOf("kill", chosenForAll())).toEqual({});
  });

  test("of what holds documents compares fewer of them than a run of everything", () => {
    const choices = chosenFor("src/query/filter/and.ts");
    expect(environmentOf("model", choices)).toEqual({ MODEL_NAMESPACES: "5" });
    const cases = "all cases of shortened tests";
    expect(environmentOf(cases, choices)).toEqual({ TRAWL_TEST_SHARE: "0.25" });
    expect(environmentOf(cases, chosenForAll())).toEqual({});
  });

  test("of a command or of what servers in tests are started with runs the programs", () => {
    expect(namesFor("src/cli/main.ts")).toEqual(
      expect.arrayContaining(["programs", "npm package", "container image"]),
    );
    expect(namesFor("test/support/servers/shared-server.ts")).toContain("programs");
  });

  test("of a build file, an unknown one, and a scheduled run need every step", () => {
    for (const file of ["package-lock.json", "scripts/build.js", "assembly/dot.ts"]) {
      expect(namesFor(file), file).toHaveLength(STEPS.length);
    }
    const unknown = { unknown: "there is no merge base" };
    const ofUnknown = chooseSteps(STEPS, unknown, { checkout, wantsAll: undefined });
    expect(ofUnknown.every(({ isNeeded }) => isNeeded)).toBe(true);
    expect(ofUnknown[0].reason).toBe("there is no merge base");
    expect(chosenForAll().every(({ isNeeded }) => isNeeded)).toBe(true);
  });
});

describe("the steps", () => {
  const commands = STEPS.map(({ command }) => command.join(" "));

  test("run every suite, and every file of test/heavy", () => {
    const isRun = (words: string) => commands.some((command) => command.includes(words));
    const scripts = SUITES.map(({ name }) => (name === "quick" ? "npm test" : `test:${name}`));
    // The S3 suite is started by the script that starts the service.
    expect(scripts.filter((script) => !isRun(script))).toEqual(["test:s3"]);
    expect(commands).toContain("scripts/ci-s3.sh");
    const projects = Object.keys(PROJECT_FILES).filter((name) => name !== "s3");
    const ofSuites = SUITES.flatMap((each) => each.projects);
    expect(projects.filter((name) => !ofSuites.includes(name))).toEqual([]);
    const heavy = globSync("test/heavy/*.test.ts", { cwd: ROOT });
    expect(heavy.filter((file) => !isRun(file))).toEqual([]);
  });

  test("name paths, globs and scripts that there are", () => {
    const subjects = STEPS.flatMap(({ subject }) => (subject === undefined ? [] : [subject]));
    const paths = [...subjects.flatMap(({ paths = [] }) => paths), ...BUILD_FILES];
    const isThere = (path: string) =>
      existsSync(`${ROOT}${path}`) || globSync(`${path}*`, { cwd: ROOT }).length > 0;
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    const globs = subjects.flatMap(({ imports = [], tests = [] }) => [...imports, ...tests]);
    expect(globs.filter((glob) => checkout.match(glob).length === 0)).toEqual([]);
    const programs = commands.filter((command) => command.startsWith("scripts/"));
    expect(programs.filter((program) => !existsSync(`${ROOT}${program}`))).toEqual([]);
  });

  test("name every module of src", () => {
    const paths = STEPS.flatMap(({ subject }) => subject?.paths ?? []);
    const modules = globSync("src/*/", { cwd: ROOT }).map((path) => `${path.replace(/\/$/, "")}/`);
    expect(modules.length).toBeGreaterThan(20);
    expect(modules.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test("have all cases of every shortened test file", () => {
    const { subject } = STEPS.find(({ name }) => name === "all cases of shortened tests") ?? {};
    expect(subject?.eachOf).toEqual(shortenedTestFiles(ROOT));
    expect(subject?.eachOf).toContain("test/engine/crash.test.ts");
  });
});
