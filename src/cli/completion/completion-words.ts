import type { Command } from "commander";

/** What a shell offers for one command. */
export interface CompletionWords {
  readonly name: string;
  readonly description: string;
  /** `--names`, `--url` and so on, with what their help says. */
  readonly options: readonly { readonly flag: string; readonly description: string }[];
  /** How many of its arguments are names of namespaces, from the first on. */
  readonly namespaceCount: number;
}

/** Arguments whose values are names of namespaces. */
const NAMESPACE_ARGUMENTS = new Set(["namespace", "from", "to", "prefix"]);

/** The words of all commands of a program, in the order of its help. */
export function completionWords(program: Command): CompletionWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden), HELP].map((option) => ({
      flag: option.long ?? "",
      description: option.description,
    })),
    namespaceCount: command.registeredArguments.filter((argument) =>
      NAMESPACE_ARGUMENTS.has(argument.name()),
    ).length,
  }));
}

const HELP = { long: "--help", description: "print this help" };
