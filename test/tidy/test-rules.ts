/** Rules about tests: a test that fails fails again, on a machine of any speed. */

import { type Finding, lineAt, type SourceFile } from "./source-file.ts";

/** Draws that no seed repeats. */
const CHANCE =
  /\bMath\.random\b|\b(?:randomUUID|getRandomValues|randomBytes|randomInt)\b|\bsystemRandom\b/g;

/** Readings of the machine's clock, and timers on it. */
const TIME =
  /\b(?:Date|performance)\.now\b|\bnew Date\(\s*\)|\bhrtime\b|\b(?:setTimeout|setInterval)\b|\btimers\/promises\b|\bsystemClock\b/g;

/** Where programs of their own, or the service's bucket, need what no other run has. */
const DRAWS_BY_CHANCE = ["test/support/processes/", "test/support/stores/s3-bucket.ts"];

/** Where other processes, files or sockets have the machine's time, too. */
const HAS_REAL_TIME = [
  "test/support/clocks/pause.ts",
  "test/support/processes/",
  "test/support/servers/http-fixture.ts",
  "test/support/stores/s3-bucket.ts",
  "src/cli/certify/certify-command.test.ts",
  "src/embed/http-embedding-provider.test.ts",
  "src/storage/directory/directory-lock.test.ts",
  "src/storage/s3/",
];

/** Tests that draw what no seed repeats, or whose outcome may depend on the machine's time. */
export function unsteadyTestFindings(files: readonly SourceFile[]): Finding[] {
  return files.filter(isTestCode).flatMap((file) => [
    ...findingsOf(file, DRAWS_BY_CHANCE, {
      pattern: CHANCE,
      message: "draws by chance; draw from testSeed or a seed of the test's own",
    }),
    ...findingsOf(file, HAS_REAL_TIME, {
      pattern: TIME,
      message:
        "has the machine's time; take a ManualClock or an InstantClock, or wait for an event",
    }),
  ]);
}

function findingsOf(
  file: SourceFile,
  exempt: readonly string[],
  { pattern, message }: { readonly pattern: RegExp; readonly message: string },
): Finding[] {
  if (exempt.some((place) => file.path.startsWith(place))) return [];
  return [...file.bare.matchAll(pattern)].map((match) => ({
    path: file.path,
    line: lineAt(file, match.index),
    message: `${match[0]} ${message}`,
  }));
}

function isTestCode({ path }: SourceFile): boolean {
  return path.startsWith("test/") || path.endsWith(".test.ts");
}
