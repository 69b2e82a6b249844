import type { Command } from "commander";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { Output } from "../output/output.ts";
import type { ProgressReporter } from "../output/progress-reporter.ts";
import type { Terminal } from "../output/terminal.ts";
import type { ExitCode } from "./exit-codes.ts";

/** What every client command works with. */
export interface CommandContext {
  /** Of the server that `--url` names. */
  readonly client: ApiClient;
  readonly output: Output;
  readonly progress: ProgressReporter;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  /** Of this program. */
  readonly version: string;
  /** Aborted by the first Ctrl-C; hand it to requests. */
  readonly signal: AbortSignal;
}

/** What was given on the command line: arguments in order, options by their camel-case names. */
export interface CommandCall {
  readonly words: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A command that speaks to a server. */
export interface ClientCommand {
  /**
   * Adds the command to the program, with its arguments and its own options; those that all share
   * are added by `addClientCommands`.
   */
  readonly declare: (program: Command) => Command;
  /**
   * Does it and returns the exit code. Throws `UsageError` for a wrong command line, and anything
   * else for a failure. What is large to load is imported here, so that other commands start fast.
   */
  readonly run: (context: CommandContext, call: CommandCall) => Promise<ExitCode>;
}
