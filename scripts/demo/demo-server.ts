/** The server of the demo: the real program, in a process of its own, on a free port. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const OUTPUT_CHARS_MAX = 4000;

/** Starts and ends one server. */
export class DemoServer {
  readonly #dataDir: string;
  #child: ChildProcess | undefined;
  #output = "";

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Resolves with the server's address once it listens; rejects if it ends before that. */
  start(): Promise<string> {
    const flags = ["--port", "0", "--data-dir", this.#dataDir, "--log-level", "warn"];
    // Only the demo sends requests to this server, so no load balancer needs the drain delay.
    const child = spawn(process.execPath, [MAIN, "serve", ...flags, "--drain-delay", "0s"], {
      env: withoutSettings(process.env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      const onData = (data: Buffer) => {
        this.#output = (this.#output + data.toString()).slice(-OUTPUT_CHARS_MAX);
        const address = /address\s+(http:\/\/\S+)/.exec(this.#output);
        if (address) resolve(address[1]);
      };
      child.stdout.on("data", onData);
      child.stderr.on("data", onData);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the server ended with code ${code}`)));
    });
  }

  /** Whether the server's process exists. */
  get isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Asks the server to finish, and resolves with its exit code. */
  async stop(): Promise<number | null> {
    await this.#end("SIGTERM");
    return this.#child?.exitCode ?? null;
  }

  /**
   * Ends the server at once; its data is deleted anyway. Resolves when the process is gone: until
   * then it may still create files.
   */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** The last of what the server printed, for a message about a failure. */
  outputTail(): string {
    return this.#output;
  }
}

/** The user's own settings are for the user's own server. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith("TRAWL_"));
  return Object.fromEntries(kept);
}
