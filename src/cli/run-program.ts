/** The commands of the program `trawl`, and what each of them is given. */

import { readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { systemClock } from "../base/clock.ts";
import { PACKAGE_ROOT } from "../base/program-files.ts";
import { systemRandom } from "../base/random.ts";
import { CLIENT_COMMANDS } from "./client-commands.ts";
import { addClientCommands, allCommands } from "./client-program.ts";
import { EXIT, type ExitCode, UsageError } from "./commands/exit-codes.ts";
import { addCompletionCommand } from "./completion/completion-command.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { interruptSignal } from "./interrupt-signal.ts";
import { processTerminal } from "./output/terminal.ts";
import { createProgram } from "./program.ts";
import type { ServerConfig } from "./settings/server-config.ts";

const PRIVATE_UMASK = 0o077;
const manifest = new URL("package.json", PACKAGE_ROOT);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

/**
 * Runs the command of the process's arguments, and sets its exit code. `adjust` changes the
 * configuration of `trawl serve`; for tests.
 */
export function runProgram(adjust?: (config: ServerConfig) => ServerConfig): void {
  // Client commands start fast because nothing of the server is loaded for them.
  const actions = async () =>
    (await import("./server-commands.ts")).serverCommands(version, adjust);
  const program = createProgram(version, {
    serve: async (flags) => (await actions()).serve(flags),
    index: async (flags) => (await actions()).index(flags),
    certify: async (store, flags) => (await actions()).certify(store, flags),
  });
  addClientCommands(program, CLIENT_COMMANDS, () => {
    // Backups and exports hold documents, as the data directory does: they are their owner's alone.
    process.umask(PRIVATE_UMASK);
    const exit = (code: number) => process.exit(code);
    return {
      terminal: processTerminal(),
      clock: systemClock,
      random: systemRandom,
      version,
      signal: interruptSignal({ clock: systemClock, exit }),
      // Printed text may not have left the process yet.
      end: (code: ExitCode) => {
        process.exitCode = code;
      },
    };
  });
  addDoctorCommand(program, () => ({
    terminal: processTerminal(),
    examine: async (flags) => {
      const { runDoctor } = await import("./doctor/run-doctor.ts");
      const sources = { flags, environment: process.env };
      return runDoctor({ sources, version, clock: systemClock, random: systemRandom });
    },
    end: (code) => process.exit(code),
  }));
  addOpenapiCommand(program, () => ({
    print: processTerminal().out,
    document: async () => {
      const { openapiDocument } = await import("../reference/openapi-document.ts");
      return openapiDocument(version);
    },
  }));
  addCompletionCommand(program, (text) => process.stdout.write(text));
  for (const command of allCommands(program)) command.exitOverride();

  program.parseAsync().catch((error: Error) => {
    // The text of these was printed when they were found.
    if (error instanceof CommanderError)
      process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
    process.stderr.write(`trawl: ${error.message}\n`);
    // Whatever was opened already must not keep a server alive that never came up.
    process.exit(error instanceof UsageError ? EXIT.usage : EXIT.failed);
  });
}

/** What the command gets of the process; a parameter for tests. */
interface OpenapiMachine {
  readonly print: (text: string) => void;
  /** Makes the document that a server of this version answers `/openapi.json` with. */
  readonly document: () => Promise<object>;
}

/** Adds `trawl openapi`, which prints the reference of the HTTP API and asks no server for it. */
function addOpenapiCommand(program: Command, createMachine: () => OpenapiMachine): void {
  program
    .command("openapi")
    .helpGroup("Other:")
    .description("print the HTTP API as an OpenAPI document, as servers do at /openapi.json")
    .helpOption("--help", "print this help")
    .action(async () => {
      const { print, document } = createMachine();
      print(`${JSON.stringify(await document())}\n`);
    });
}
