import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A script of this folder that runs in a process of its own. */
export interface ScriptProcess {
  readonly child: ChildProcess;
  /** Its lines of standard output as they come; ends with the process. */
  readonly lines: AsyncIterable<string>;
  /** Resolves with all that it wrote to standard error once it is gone. */
  readonly ended: Promise<string>;
}

/** Starts `test/support/processes/<name>.ts` with Node itself. */
export function startScript(name: string, ...words: string[]): ScriptProcess {
  const path = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--no-warnings", path, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part) => {
    errors += part;
  });
  const ended = once(child, "close").then(() => errors);
  return { child, lines: createInterface({ input: child.stdout }), ended };
}

/** Runs a script to its end and returns its lines; throws what it wrote to standard error. */
export async function runScript(name: string, ...words: string[]): Promise<string[]> {
  const { child, lines, ended } = startScript(name, ...words);
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  const errors = await ended;
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${errors}`);
  return collected;
}
