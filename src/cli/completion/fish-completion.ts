import type { CompletionWords } from "./completion-words.ts";

const NAMESPACES = '-a "(trawl ls --names 2>/dev/null)"';

/** A script for fish. */
export function fishCompletion(commands: readonly CompletionWords[]): string {
  const lines = commands.flatMap(({ name, description, options, namespaceCount }) => [
    `complete -c trawl -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...(namespaceCount > 0 ? [`complete -c trawl -n ${seen(name)} -f ${NAMESPACES}`] : []),
    ...options.map((option) => {
      const flag = option.flag.slice("--".length);
      const values = flag === "namespace" ? ` -x ${NAMESPACES}` : "";
      const help = quoted(option.description);
      return `complete -c trawl -n ${seen(name)} -l ${flag}${values} -d ${help}`;
    }),
  ]);
  return `# fish completion of trawl: trawl completion fish | source\n${lines.join("\n")}\n`;
}

function seen(name: string): string {
  return `'__fish_seen_subcommand_from ${name}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
