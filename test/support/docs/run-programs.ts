/** Runs many short programs in one process, since most of their time would go into its start. */

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Languages of programs. */
export type ProgramLanguage = "ts" | "python";

/** Programs by name, and where they are put. */
export interface Programs {
  /** Inside the project for TypeScript, so that they find its packages. */
  readonly folder: string;
  readonly language: ProgramLanguage;
  /** The program that runs them, such as a path of python3. */
  readonly interpreter: string;
  readonly sources: ReadonlyMap<string, string>;
}

const DRIVERS: Record<ProgramLanguage, string> = {
  ts: `import { writeFileSync } from "node:fs";
const faults = {};
for (const name of process.argv.slice(3)) {
  await import(\`./\${name}.ts\`).catch((error) => { faults[name] = error.stack; });
}
writeFileSync(process.argv[2], JSON.stringify(faults));
`,
  python: `import json, runpy, sys, traceback
faults = {}
for name in sys.argv[2:]:
    try:
        runpy.run_path(name + ".py")
    except BaseException:
        faults[name] = traceback.format_exc()
with open(sys.argv[1], "w") as file:
    json.dump(faults, file)
`,
};
const SUFFIXES: Record<ProgramLanguage, string> = { ts: "ts", python: "py" };

/** Runs the programs one after the other; resolves with the faults of those that failed. */
export async function runPrograms(programs: Programs): Promise<Map<string, string>> {
  const { folder, language, interpreter, sources } = programs;
  const suffix = SUFFIXES[language];
  await mkdir(folder, { recursive: true });
  for (const [name, source] of sources) await writeFile(join(folder, `${name}.${suffix}`), source);
  const driver = `driver.${language === "ts" ? "mjs" : suffix}`;
  await writeFile(join(folder, driver), DRIVERS[language]);
  const report = join(folder, "faults.json");
  await promisify(execFile)(interpreter, [driver, report, ...sources.keys()], { cwd: folder });
  const faults = JSON.parse(await readFile(report, "utf8")) as Record<string, string>;
  return new Map(Object.entries(faults));
}
