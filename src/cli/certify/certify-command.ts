/** The command `trawl certify`: tries every promise of an object store on a user's own. */

import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { openObjectStore } from "../../storage/access/open-object-store.ts";
import {
  type CaseResult,
  CERTIFICATION_CASES,
  certify,
  removeAll,
} from "../../storage/certify/certification.ts";
import type { CertificationCase } from "../../storage/certify/certification-case.ts";
import { objectKey } from "../../storage/object-store.ts";
import { PrefixedObjectStore } from "../../storage/prefixed-object-store.ts";
import { RetryingObjectStore } from "../../storage/retrying-object-store.ts";
import { type StoreConfig, storeName } from "../../storage/store-config.ts";
import type { processCases } from "./certify-processes.ts";

/** What the command needs; a parameter for tests. */
export interface CertifyOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Opens the store in this process. */
  readonly openStore: typeof openObjectStore;
  /** What several processes try, as `processCases` gives it. */
  readonly casesOfProcesses: typeof processCases;
  /** Takes the report. */
  readonly print: (text: string) => void;
  /** Takes what is going on. */
  readonly progress: (text: string) => void;
}

/**
 * Tries all cases one after the other, in a folder of the store that it removes in the end, and
 * prints what was seen. Returns the exit code: 0 if the store kept every promise. Throws if the
 * store cannot be used at all.
 */
export async function runCertifyCommand(
  config: StoreConfig,
  options: CertifyOptions,
): Promise<number> {
  const { clock, random, print, casesOfProcesses } = options;
  const opened = await options.openStore(config, options);
  await opened.store.get(objectKey("certify/connect")); // Wrong settings show here, at once.
  const store = new RetryingObjectStore({ store: opened.store, clock, random });
  const run = `certify/${Buffer.from(random.bytes(8)).toString("hex")}`;
  const tally = { unknownPuts: 0 };
  const results: CaseResult[] = [];
  const folder = `${run}/processes`;
  const ofProcesses = casesOfProcesses(config, folder);
  const tryCase = async (certificationCase: CertificationCase, folder: string) => {
    const of = CERTIFICATION_CASES.length + ofProcesses.length;
    options.progress(`${results.length + 1} of ${of}: ${certificationCase.promise} …\n`);
    const result = await certify(certificationCase, { store, folder, tally });
    results.push(result);
    print(lineOf(result));
  };

  print(`${storeName(config)}\n\n`);
  for (const [index, certificationCase] of CERTIFICATION_CASES.entries()) {
    await tryCase(certificationCase, `${run}/${index}`);
  }
  for (const certificationCase of ofProcesses) await tryCase(certificationCase, folder);
  // What processes had sent before they were killed may have come after the rest was removed.
  await removeAll(new PrefixedObjectStore(store, run)).catch(() => undefined);
  // The objects are gone; a directory keeps the folders that they were in.
  if (config.kind === "directory") {
    await rm(join(config.root, run), { recursive: true, force: true });
    await rmdir(join(config.root, "certify")).catch(() => {}); // Another run may be under way.
  }
  print(summaryOf(results, tally.unknownPuts));
  return results.every(({ verdict }) => verdict === "kept") ? 0 : 1;
}

const MARKS = { kept: "pass", broken: "FAIL", failed: "FAIL" } as const;

function lineOf({ promise, verdict, seen }: CaseResult): string {
  const what = verdict === "failed" ? `not found out: ${seen}` : seen;
  return `${MARKS[verdict]}  ${promise}\n      ${what}\n`;
}

function summaryOf(results: readonly CaseResult[], unknownPuts: number): string {
  const count = (verdict: CaseResult["verdict"]) =>
    results.filter((result) => result.verdict === verdict).length;
  const kept = `${count("kept")} of ${results.length} promises kept`;
  const open = `${unknownPuts} conditional puts had an unknown outcome, settled by reading back`;
  if (count("broken") > 0) return `\n${kept}; ${open}\nThis store must not be used.\n`;
  if (count("failed") > 0) return `\n${kept}; ${open}\nThe store failed; try again.\n`;
  return `\n${kept}; ${open}\nThis store can be used.\n`;
}
