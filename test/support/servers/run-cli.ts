/** The client commands in this process, over streams that a test reads. */

import { CommanderError } from "commander";
import type { Clock } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { CLIENT_COMMANDS } from "../../../src/cli/client-commands.ts";
import { addClientCommands, allCommands } from "../../../src/cli/client-program.ts";
import { EXIT, UsageError } from "../../../src/cli/commands/exit-codes.ts";
import { addCompletionCommand } from "../../../src/cli/completion/completion-command.ts";
import type { Terminal } from "../../../src/cli/output/terminal.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { InstantClock } from "../clocks/instant-clock.ts";

/** What was written so far. */
export interface Said {
  out: string;
  err: string;
}

/** What a run may have that others have not. */
export interface CliOptions {
  readonly environment?: Terminal["environment"];
  /** Standard input's text. */
  readonly input?: string;
  readonly errIsTerminal?: boolean;
  readonly inIsTerminal?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** How a command ended. */
export interface CliRun extends Readonly<Said> {
  readonly code: number;
  /** The last line of standard output, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape.
  readonly json: any;
}

/** A terminal that remembers what it was told. */
export function testTerminal(options: CliOptions = {}): Terminal & { readonly said: Said } {
  const said: Said = { out: "", err: "" };
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(options.input ?? "");
  }
  return {
    said,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    errIsTerminal: options.errIsTerminal ?? false,
    inIsTerminal: options.inIsTerminal ?? false,
    input: input(),
    columns: 120,
    environment: options.environment ?? {},
  };
}

/** Runs `trawl` with `words`; the server is named by `--url` or the environment. */
export async function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const terminal = testTerminal(options);
  const { said } = terminal;
  const none = async () => {};
  const program = createProgram("0.0.0-test", { serve: none, index: none, certify: none });
  let code: number = EXIT.done;
  addClientCommands(program, CLIENT_COMMANDS, () => ({
    terminal,
    clock: options.clock ?? new InstantClock(),
    random: seededRandom(1),
    version: "0.0.0-test",
    signal: options.signal ?? new AbortController().signal,
    end: (ended) => {
      code = ended;
    },
  }));
  addCompletionCommand(program, terminal.out);
  for (const command of allCommands(program)) {
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  }
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    else {
      said.err += `trawl: ${(error as Error).message}\n`;
      code = error instanceof UsageError ? EXIT.usage : EXIT.failed;
    }
  }
  return { ...said, code, json: jsonOf(said.out) };
}

function jsonOf(out: string): unknown {
  try {
    return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return undefined;
  }
}
