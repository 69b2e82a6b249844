/** The steps of .ci/run, and the files that each depends on. */

import { fileURLToPath } from "node:url";
import { MUTATIONS } from "../../test/simulation/mutations.ts";
import { shortenedTestFiles } from "../test/suites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A command that passes or fails. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Cores that its processes use. Steps run side by side while enough cores are free. */
  readonly cores: number;
  readonly minutesMax: number;
  /** Variables that shorten it for a known change; a run of everything is without them. */
  readonly shorter?: Readonly<Record<string, string>>;
  /** Files that it depends on. If absent, it runs for each change. */
  readonly subject?: Subject;
}

/** Files that a step depends on; paths are from the root of the checkout. */
export interface Subject {
  /** Files whose paths start with one of these. */
  readonly paths?: readonly string[];
  /** Globs of files; the files that they import count, too. */
  readonly imports?: readonly string[];
  /**
   * Globs of tests; what they import outside of src counts, too. Their servers have all of src, so
   * `paths` says which modules they are about.
   */
  readonly tests?: readonly string[];
  /**
   * Test files: the step runs only those that import a changed file, and of the tests next to the
   * sources only the tests of its module.
   */
  readonly eachOf?: readonly string[];
}

/** Starts of paths of files that can change the outcome of every step. */
export const BUILD_FILES = [
  ...[".ci/", "package.json", "package-lock.json", "tsconfig", "vitest.config.ts", "biome.json"],
  ...["scripts/ci/", "scripts/test/", "scripts/build", "scripts/run.js", "scripts/install.js"],
  // It becomes dist/kernel.wasm, which no test imports.
  "assembly/",
];

/** Modules that all others stand on. */
const FOUNDATION = ["src/base/", "src/model/", "src/reference/", "src/trace/"];
/** Modules that read requests and write responses. */
const PROTOCOL = [
  ...FOUNDATION,
  ...["src/http/", "src/wire/", "src/api/", "src/threads/", "src/access/"],
];
/** Modules that hold and find documents. */
const CONTENT = [
  ...FOUNDATION,
  ...["src/codec/", "src/segment/", "src/write/", "src/query/", "src/model/", "src/text/"],
  ...["src/vector/", "src/kernel/"],
];
/** Modules that keep acknowledged writes. */
const DURABILITY = [
  ...FOUNDATION,
  ...["src/storage/", "src/log/", "src/manifest/", "src/commit/", "src/namespace/", "src/cache/"],
  ...["src/indexer/", "src/write/"],
];
/** Modules of the commands and of the library. */
const COMMANDS = [
  ...FOUNDATION,
  ...["src/cli/", "src/client/", "src/embed/", "src/library/", "src/mcp/", "src/transfer/"],
];
/** Pages and examples whose commands are run. */
const PAGES = ["docs/", "examples/", "deploy/", "README.md"];
/** Modules that find their files or threads by name, which an installation may lack. */
const LOADERS = ["src/cli/", "src/embed/", "src/kernel/", "src/library/", "src/threads/"];
/** Files that are installed with the package or the image, other than most of src. */
const INSTALLED = {
  paths: [
    ...[...LOADERS, "console/", "docs/", "scripts/", "deploy/", "README.md", "LICENSE", "NOTICE"],
    ".dockerignore",
  ],
};
/** Files that Vitest loads for suites over real servers. */
const SET_UP = [
  "test/support/servers/shared-server.ts",
  "test/support/random/start-file.ts",
  "test/support/reference/check-fetches.ts",
];

/** As many as there are: other processes would change what the step measures. */
const ALL_CORES = Number.POSITIVE_INFINITY;

const npmRun = (script: string, ...words: string[]) => ["npm", "run", "--silent", script, ...words];

/** A file of test/heavy/. Tests that measure a server's memory, or run several, have all cores. */
function heavy(name: string, paths: readonly string[], cores = 1): Step {
  const file = `test/heavy/${name}.test.ts`;
  const command = npmRun("test:heavy", "--", "--project=heavy", file);
  return { name, command, cores, minutesMax: 30, subject: { paths, tests: [file] } };
}

/** A project of a suite with one worker, next to another step. */
function project(suite: string, name: string, subject: Subject): Step {
  const command = npmRun(`test:${suite}`, "--", "--maxWorkers=1", `--project=${name}`);
  return { name, command, cores: 1, minutesMax: 40, subject };
}

/**
 * All steps, in their order. Those with one core come last and the long ones of these first, so
 * that few cores are idle.
 */
export const STEPS: readonly Step[] = [
  { name: "format and lint", command: npmRun("lint"), cores: 1, minutesMax: 5 },
  { name: "types", command: npmRun("types"), cores: 1, minutesMax: 5 },
  { name: "npm test", command: ["npm", "test", "--silent"], cores: ALL_CORES, minutesMax: 20 },
  // Checks that tests find faults: only changes of the simulation or of mutated files matter.
  {
    ...heavy("mutations", [], ALL_CORES),
    subject: { paths: ["test/simulation/", ...MUTATIONS.map(({ file }) => file)] },
  },
  {
    ...heavy("simulation", [], ALL_CORES),
    subject: {
      paths: [...DURABILITY, "src/segment/"],
      tests: ["test/heavy/simulation.test.ts", "test/simulation/*.ts"],
    },
  },
  heavy("hostile-bodies", PROTOCOL, ALL_CORES),
  heavy("deaf-clients", PROTOCOL, ALL_CORES),
  heavy("unknown-members", PROTOCOL, ALL_CORES),
  heavy("long-names", PROTOCOL, ALL_CORES),
  heavy("histories", [...DURABILITY, "src/threads/"], ALL_CORES),
  heavy(
    "many-namespaces",
    [...DURABILITY, "src/http/", "src/api/", "src/threads/", "console/"],
    ALL_CORES,
  ),
  project("console", "console", {
    paths: ["console/", "scripts/docs/", "src/http/", "src/api/", "src/access/"],
    imports: ["console/**/*.{ts,tsx}"],
    tests: [...SET_UP, "test/browser/**/*.test.ts"],
  }),
  {
    name: "all cases of shortened tests",
    command: npmRun("test:heavy", "--", "--project=full", "--maxWorkers=1"),
    cores: 1,
    minutesMax: 70,
    shorter: { TRAWL_TEST_SHARE: "0.25" },
    subject: { eachOf: shortenedTestFiles(ROOT) },
  },
  project("programs", "programs", {
    // Tests start the scripts of test/support/processes/ by name.
    paths: [...COMMANDS, ...PROTOCOL, ...PAGES, "scripts/", "test/support/processes/"],
    tests: [...SET_UP, "test/programs/**/*.test.ts"],
  }),
  project("recall", "recall", { paths: CONTENT, tests: ["test/recall/**/*.test.ts"] }),
  {
    name: "S3",
    command: ["scripts/ci-s3.sh"],
    cores: 1,
    minutesMax: 40,
    subject: {
      paths: [...FOUNDATION, "src/storage/", "src/cli/", "scripts/ci-s3.sh"],
      tests: ["test/s3/**/*.test.ts", "test/support/stores/s3-bucket.ts"],
    },
  },
  heavy("fuzz-http", [...PROTOCOL, ...CONTENT]),
  heavy("many-values", [...CONTENT, "src/wire/"]),
  { ...heavy("model", [...CONTENT, ...DURABILITY]), shorter: { MODEL_NAMESPACES: "5" } },
  { ...heavy("kill", [...DURABILITY, "src/threads/"]), shorter: { KILL_ROUNDS: "100" } },
  heavy("copies", DURABILITY),
  heavy("longest-steps", [...CONTENT, "src/wire/", "src/log/"]),
  heavy("longest-builds", CONTENT),
  heavy("static-english", ["src/embed/", "scripts/static-en/", "scripts/make-static-en.ts"]),
  {
    name: "examples, and clients in Python, Go and Rust",
    command: ["scripts/ci-clients.sh"],
    cores: 1,
    minutesMax: 20,
    subject: {
      paths: [...PROTOCOL, ...PAGES, "src/client/", "src/library/", "test/clients/"],
      tests: ["test/examples/**/*.test.ts"],
    },
  },
  {
    name: "npm package",
    command: ["scripts/ci-pack.sh"],
    cores: 1,
    minutesMax: 15,
    subject: INSTALLED,
  },
  {
    name: "container image",
    command: ["scripts/ci-deploy.sh"],
    cores: 1,
    minutesMax: 15,
    subject: INSTALLED,
  },
];
