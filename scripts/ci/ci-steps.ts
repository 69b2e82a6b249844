/** The steps of .ci/run, and what has to change for each to be run. */

import { fileURLToPath } from "node:url";
import { shortenedTestFiles } from "../test/suites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** One step: a command that fails or passes. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Cores that its processes take: steps run at the same time while there are enough. */
  readonly cores: number;
  readonly minutesMax: number;
  /** What it proves things about; absent: it runs for each change. */
  readonly subject?: Subject;
}

/** What a step proves things about. */
export interface Subject {
  /** Folders and files, as the first parts of their paths. */
  readonly paths?: readonly string[];
  /** Globs of files, which count with all that they import. */
  readonly imports?: readonly string[];
  /** Test files of which only those run that import a changed file. */
  readonly eachOf?: readonly string[];
}

/** Changes to these may change the outcome of every step. */
export const BUILD_FILES = [
  ...[".ci/", "package.json", "package-lock.json", "tsconfig", "vitest.config.ts", "biome.json"],
  ...["scripts/ci/", "scripts/test/", "scripts/build", "scripts/run.js", "scripts/install.js"],
];

/** What a server needs to take a request and give a response. */
const PROTOCOL = ["src/http/", "src/wire/", "src/api/", "src/threads/"];
/** What keeps acknowledged writes. */
const DURABILITY = [
  ...["src/storage/", "src/log/", "src/manifest/", "src/commit/", "src/namespace/"],
  ...["src/indexer/", "src/threads/", "src/cli/"],
];
const CONTENT = ["src/codec/", "src/segment/", "src/write/", "src/query/", "src/model/"];

/** Programs that users run, with all that documents say of them. */
const PROGRAMS = {
  paths: ["src/", "scripts/", "docs/", "examples/", "deploy/", "README.md"],
  imports: ["test/programs/**/*.test.ts"],
};

const npmRun = (script: string, ...words: string[]) => ["npm", "run", "--silent", script, ...words];

/** A file of test/heavy/. Those that measure the memory of a server have all cores. */
function heavy(name: string, paths: readonly string[], cores: 1 | 2 = 1): Step {
  const file = `test/heavy/${name}.test.ts`;
  const command = npmRun("test:heavy", "--", "--project=heavy", file);
  return { name, command, cores, minutesMax: 30, subject: { paths, imports: [file] } };
}

/** A file of test/heavy/ that runs simulated clusters on all cores. */
function simulated(name: string): Step {
  const { subject, ...step } = heavy(name, [], 2);
  const imports = [...(subject?.imports ?? []), "test/simulation/*.ts"];
  return { ...step, subject: { imports } };
}

/** A suite with one worker, next to another step. */
function suite(name: string, subject: Subject, ...words: string[]): Step {
  const command = npmRun(`test:${name}`, "--", "--maxWorkers=1", ...words);
  return { name, command, cores: 1, minutesMax: 40, subject };
}

/** All steps; those that take long come first, so that no core waits for the last of them. */
export const STEPS: readonly Step[] = [
  { name: "format and lint", command: npmRun("lint"), cores: 1, minutesMax: 5 },
  { name: "types", command: npmRun("types"), cores: 1, minutesMax: 5 },
  { name: "npm test", command: ["npm", "test", "--silent"], cores: 2, minutesMax: 20 },
  simulated("mutations"),
  simulated("simulation"),
  heavy("hostile-bodies", PROTOCOL, 2),
  heavy("deaf-clients", PROTOCOL, 2),
  heavy("unknown-members", PROTOCOL, 2),
  heavy("long-names", PROTOCOL, 2),
  heavy("many-namespaces", ["src/namespace/", "src/manifest/", "src/cache/", "console/"], 2),
  suite("console", { imports: ["test/browser/**/*.test.ts", "console/**/*.{ts,tsx}"] }),
  suite("programs", PROGRAMS, "--exclude=test/programs/{docs-examples,examples,readme}.test.ts"),
  {
    name: "all cases of shortened tests",
    command: npmRun("test:heavy", "--", "--project=full", "--maxWorkers=1"),
    cores: 1,
    minutesMax: 40,
    subject: { eachOf: shortenedTestFiles(ROOT) },
  },
  suite("recall", { imports: ["test/recall/**/*.test.ts"] }),
  heavy("fuzz-http", PROTOCOL),
  heavy("kill", DURABILITY),
  heavy("copies", DURABILITY),
  heavy("model", [...DURABILITY, ...CONTENT]),
  heavy("many-values", CONTENT),
  heavy("static-english", ["src/embed/", "scripts/static-en/", "scripts/make-static-en.ts"]),
  {
    name: "S3",
    command: ["scripts/ci-s3.sh"],
    cores: 1,
    minutesMax: 40,
    subject: { paths: ["src/storage/", "src/cli/"], imports: ["test/s3/**/*.test.ts"] },
  },
  {
    name: "examples, and clients in Python, Go and Rust",
    command: ["scripts/ci-clients.sh"],
    cores: 1,
    minutesMax: 20,
    subject: { ...PROGRAMS, paths: [...PROGRAMS.paths, "test/clients/"] },
  },
  {
    name: "npm package",
    command: ["scripts/ci-pack.sh"],
    cores: 1,
    minutesMax: 15,
    subject: { paths: ["scripts/", "src/cli/", "src/library/", "console/", "docs/"] },
  },
  {
    name: "container image",
    command: ["scripts/ci-deploy.sh"],
    cores: 1,
    minutesMax: 15,
    subject: { paths: ["scripts/", "deploy/", "src/cli/", "src/library/"] },
  },
];
