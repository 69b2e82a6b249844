/** Commands that speak to a server: what they share, and how they end. */

import { type Command, Option } from "commander";
import type { Clock } from "../base/clock.ts";
import { DURATION_FORM, parseDuration } from "../base/duration.ts";
import type { Random } from "../base/random.ts";
import { ApiClient } from "../client/api-client.ts";
import { BASE_URL_DEFAULT, parseBaseUrl } from "../client/base-url.ts";
import { ClientError } from "../client/client-error.ts";
import type { ClientCommand, CommandCall, CommandContext } from "./commands/client-command.ts";
import { EXIT, type ExitCode, UsageError } from "./commands/exit-codes.ts";
import { Output } from "./output/output.ts";
import { ProgressReporter } from "./output/progress-reporter.ts";
import type { Terminal } from "./output/terminal.ts";

/** What client commands get of the process; a parameter for tests. */
export interface ClientMachine {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  /** Of this program. */
  readonly version: string;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Takes the exit code of the command that has ended. */
  readonly end: (code: ExitCode) => void;
}

interface SharedOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly timeout: number;
  readonly json?: true;
  readonly quiet?: true;
}

/**
 * Adds commands to the program, each with the options that all share. The machine is made when one
 * of them runs: other commands listen to signals in their own way.
 */
export function addClientCommands(
  program: Command,
  commands: readonly ClientCommand[],
  createMachine: () => ClientMachine,
): void {
  program.commandsGroup("Clients of any server:");
  for (const command of commands) {
    const declared = command.declare(program).helpOption("--help", "print this help");
    for (const option of sharedOptions()) declared.addOption(option);
    declared.action(async () => {
      const machine = createMachine();
      const call = { words: declared.processedArgs, options: declared.opts() };
      machine.end(await runCommand(command, call, { machine, name: nameOf(declared) }));
    });
  }
}

/** Every command of a program, with those of its groups. */
export function allCommands(program: Command): Command[] {
  return [program, ...program.commands.flatMap(allCommands)];
}

/** The words that call a command, without the program's own. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function sharedOptions(): Option[] {
  const timeout = (text: string) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms > 0) return ms;
    throw new UsageError(`--timeout: ${text} is not ${DURATION_FORM}`);
  };
  return [
    new Option("--url <url>", `the server (default: ${BASE_URL_DEFAULT}) [TURBOPUFFER_BASE_URL]`),
    new Option("--api-key <key>", "its API key [TURBOPUFFER_API_KEY]"),
    new Option("--timeout <duration>", "how long it may send nothing (default: 2m)").argParser(
      timeout,
    ),
    new Option("--json", "print one line of JSON instead of text for people"),
    new Option("--quiet", "show no progress"),
  ];
}

interface Run {
  readonly machine: ClientMachine;
  readonly name: string;
}

async function runCommand(
  command: ClientCommand,
  call: CommandCall,
  { machine, name }: Run,
): Promise<ExitCode> {
  const { terminal, signal } = machine;
  let client: ApiClient | undefined;
  try {
    const context = contextOf(call.options as unknown as SharedOptions, machine);
    client = context.client;
    return await command.run(context, call);
  } catch (error) {
    const [code, message] = endOf(error, signal, name);
    terminal.err(`trawl ${name}: ${message}\n`);
    // Whoever reads results by program finds the reason in the same place.
    if (call.options.json === true) {
      const said = signal.aborted ? message : (error as Error).message;
      terminal.out(`${JSON.stringify({ status: "error", error: said })}\n`);
    }
    return code;
  } finally {
    client?.close();
  }
}

function contextOf(options: SharedOptions, machine: ClientMachine): CommandContext {
  const { terminal, clock, random, version, signal } = machine;
  const progress = new ProgressReporter(terminal, clock, options.quiet === true);
  const client = new ApiClient({
    ...serverOf(options, terminal.environment),
    silenceMsMax: options.timeout,
    clock,
    random,
    onRetry: ({ message }, waitMs) => progress.wait("trying again", waitMs, message),
  });
  const output = new Output(terminal, options.json === true);
  return { client, output, progress, terminal, clock, random, version, signal };
}

/** Which server is meant: options first, then the variables that the official SDKs read. */
function serverOf(
  options: SharedOptions,
  environment: Terminal["environment"],
): { url: string; apiKey: string | undefined } {
  // An empty variable counts as unset, as for the server's settings.
  const { TURBOPUFFER_BASE_URL: url = "", TURBOPUFFER_API_KEY: key = "" } = environment;
  const apiKey = options.apiKey ?? (key === "" ? undefined : key);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError("the API key has characters that no header may hold; look at its value");
  }
  if (options.url !== undefined) return { url: parseBaseUrl(options.url, "--url"), apiKey };
  if (url !== "") return { url: parseBaseUrl(url, "TURBOPUFFER_BASE_URL"), apiKey };
  return { url: BASE_URL_DEFAULT, apiKey };
}

/** The exit code and the words of what a command threw. */
function endOf(error: unknown, signal: AbortSignal, name: string): [ExitCode, string] {
  if (signal.aborted) return [EXIT.interrupted, "interrupted"];
  const { message } = error as Error;
  const isUsage =
    error instanceof UsageError || (error instanceof ClientError && error.kind === "usage");
  if (isUsage) return [EXIT.usage, `${message}\n(trawl ${name} --help lists what there is)`];
  if (error instanceof ClientError) return [EXIT.failed, message];
  return [EXIT.failed, message === "" ? String(error) : message];
}
