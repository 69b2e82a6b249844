/** The real server in a process of its own, as users start it, for end-to-end and crash tests. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { BUILT_PROGRAM, builtProgram } from "../processes/built-program.ts";
import { productEnvironment } from "../processes/environment.ts";
import type { ReplacedConfig } from "./replaced-config.ts";

const REPLACED_PROGRAM = fileURLToPath(new URL("./replaced-program.ts", import.meta.url));
/** As the launcher has them. */
const { MEMORY_ENVIRONMENT, MEMORY_FLAGS } = (await import(
  new URL("../../../scripts/memory-environment.js", import.meta.url).href
)) as {
  readonly MEMORY_ENVIRONMENT: Readonly<Record<string, string>>;
  readonly MEMORY_FLAGS: readonly string[];
};

/** A running server. */
export interface ServerProcess {
  /** Base URL, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything printed so far, stdout and stderr. */
  output(): string;
  /** SIGKILL, as a power cut would; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** What a test may choose. */
export interface ServerOptions {
  /** Without it, the arguments name a bucket. */
  readonly dataDir?: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Configuration that has no setting. */
  readonly replaced?: ReplacedConfig | undefined;
  /** The server of another checkout, which is built. */
  readonly checkout?: string | undefined;
}

/** Starts a server on a free port and resolves when it listens; rejects with its output otherwise. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const place = options.dataDir === undefined ? [] : ["--data-dir", options.dataDir];
  const flags = ["serve", "--port", "0", ...place];
  const { checkout } = options;
  // No load balancer routes requests to this server. Other versions may not know the setting.
  const drain = checkout === undefined ? { TRAWL_DRAIN_DELAY: "0s" } : {};
  const main =
    options.replaced === undefined
      ? [checkout === undefined ? BUILT_PROGRAM : builtProgram(checkout)]
      : [REPLACED_PROGRAM, JSON.stringify(options.replaced)];
  const child = spawn(
    process.execPath,
    [...MEMORY_FLAGS, ...main, ...flags, ...(options.arguments ?? [])],
    {
      env: { ...MEMORY_ENVIRONMENT, ...productEnvironment(), ...drain, ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const onData = (data: Buffer) => {
      output += data.toString();
      const address = /address\s+(https?:\/\/\S+)/.exec(output);
      if (address) resolve(address[1]);
    };
    child.stdout.on("data", onData);
    child.stderr.on("data", onData);
    child.once("exit", (code) => reject(new Error(`server ended with ${code}:\n${output}`)));
  });
  const gone = once(child, "exit");
  return {
    url,
    process: child,
    output: () => output,
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await gone;
      return code as number | null;
    },
  };
}

/** Sends JSON and reads JSON. */
export async function callJson(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
