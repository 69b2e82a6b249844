/** The command line: commands and flags, made from the table of settings. */

import { Command, Option } from "commander";
import { SettingFault } from "./settings/parse-setting.ts";
import {
  defaultText,
  environmentName,
  SETTINGS,
  type Setting,
  settingsOf,
  valueName,
} from "./settings/setting-table.ts";

/** What each command does. */
export interface ProgramActions {
  /** `flags` holds what was given on the command line, by setting name. */
  serve(flags: Readonly<Record<string, string | true>>): Promise<void>;
  /** Likewise. */
  index(flags: Readonly<Record<string, string | true>>): Promise<void>;
  /** Likewise; `store` is a bucket's URL or a directory. */
  certify(store: string, flags: Readonly<Record<string, string | true>>): Promise<void>;
}

/** Builds the program; parsing it runs the action of the command that was named. */
export function createProgram(version: string, actions: ProgramActions): Command {
  const program = new Command("trawl")
    .description("Self-hosted document search, compatible with the turbopuffer v2 HTTP API.")
    .version(version, "--version", "print the version")
    .helpOption("--help", "print this help")
    .showSuggestionAfterError()
    .showHelpAfterError("(--help lists what there is)")
    .configureOutput({ outputError: (text, write) => write(withoutValues(text)) });
  program.commandsGroup("The server:");
  const serve = program
    .command("serve")
    .description("run the server")
    .helpOption("--help", "print this help")
    .addHelpText("after", "\nFlags win over TRAWL_* variables, these over the file of --config.");
  for (const setting of SETTINGS) serve.addOption(optionOf(setting));
  serve.action((_options, command: Command) => actions.serve(givenFlags(command)));
  const index = program
    .command("index")
    .description("fold logs into segments, beside a server or alone")
    .helpOption("--help", "print this help")
    .addHelpText("after", "\n`trawl serve` starts one by itself unless --indexer is off.");
  for (const setting of settingsOf("index")) index.addOption(optionOf(setting));
  index.action((_options, command: Command) => actions.index(givenFlags(command)));
  const certify = program
    .command("certify")
    .description("try whether an object store keeps the promises that the server rests on")
    .helpOption("--help", "print this help")
    .requiredOption("--store <url>", "what to try: s3://bucket/prefix, or a directory")
    .addHelpText("after", "\nWrites below certify/ in the store, and removes it in the end.");
  for (const setting of settingsOf("certify")) certify.addOption(optionOf(setting));
  certify.action((options: { readonly store: string }, command: Command) =>
    actions.certify(options.store, givenFlags(command)),
  );
  return program;
}

/** An unknown flag is quoted with its value, which may be a secret under a misspelt name. */
function withoutValues(text: string): string {
  return text.replace(/^(error: unknown option '[^'=]*=).*'$/m, "$1…'");
}

/** The option of a setting, as all commands of the server have it. */
export function optionOf(setting: Setting): Option {
  const value = valueName(setting);
  const flags = `--${setting.name}${value === "" ? "" : ` ${value}`}`;
  const shown = defaultText(setting);
  const fallback = shown === "" ? "" : ` (default: ${shown})`;
  const option = new Option(flags, `${setting.help}${fallback} [${environmentName(setting)}]`);
  return value === "" ? option : option.argParser(allValues);
}

/** The last of several values would win; a list of them is refused below. */
function allValues(value: string, previous: unknown): unknown {
  return previous === undefined ? value : [previous, value];
}

/** The flags that were really given, by setting name instead of commander's camel case. */
export function givenFlags(command: Command): Record<string, string | true> {
  const flags: Record<string, string | true> = {};
  for (const setting of SETTINGS) {
    const value = optionValue(command, setting.name);
    if (value === undefined) continue;
    if (Array.isArray(value))
      throw new SettingFault(`--${setting.name} is given twice; say it once`);
    flags[setting.name] = value === true ? true : String(value);
  }
  return flags;
}

/** Commander takes `--no-console` for a `console` that is false. */
function optionValue(command: Command, name: string): unknown {
  const attribute = (text: string) =>
    text.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  if (!name.startsWith("no-")) return command.getOptionValue(attribute(name));
  return command.getOptionValue(attribute(name.slice(3))) === false ? true : undefined;
}
