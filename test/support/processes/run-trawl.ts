import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { BUILT_PROGRAM } from "./built-program.ts";
import { productEnvironment } from "./environment.ts";

/** What a run of the program may have. */
export interface TrawlOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Told when the program runs, to send it signals. */
  readonly onStart?: (child: ChildProcess) => unknown;
}

/** How the program ended, and all that it said. */
export interface TrawlRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program `trawl` in a process of its own, to its end. */
export async function runTrawl(
  words: readonly string[],
  { environment = {}, input = "", cwd, onStart }: TrawlOptions = {},
): Promise<TrawlRun> {
  const child = spawn(process.execPath, [BUILT_PROGRAM, ...words], {
    env: { ...productEnvironment(), ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (part) => {
    out += part;
  });
  child.stderr.on("data", (part) => {
    err += part;
  });
  child.stdin.on("error", () => {}); // It ended without having read everything.
  child.stdin.end(input);
  onStart?.(child);
  const [code] = await once(child, "close");
  return { code: code as number | null, out, err };
}
