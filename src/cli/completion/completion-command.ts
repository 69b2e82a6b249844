import { Argument, type Command } from "commander";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/**
 * Adds `trawl completion <shell>`, which prints a script made of all commands that the program has
 * when it runs.
 */
export function addCompletionCommand(program: Command, print: (text: string) => void): void {
  program
    .command("completion")
    .helpGroup("Other:")
    .description("print a script that completes commands, options and namespaces in a shell")
    .helpOption("--help", "print this help")
    .addArgument(new Argument("<shell>", "which one").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      '\nbash, zsh: eval "$(trawl completion bash)"   fish: trawl completion fish | source',
    )
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell](completionWords(program))));
}

/** A script for bash; names of namespaces come from the server that the environment names. */
function bashCompletion(commands: readonly CompletionWords[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map(({ name, options, namespaceCount }) => {
    const flags = options.map(({ flag }) => flag).join(" ");
    return `    ${name}) options="${flags}"; namespaces=${namespaceCount} ;;\n`;
  });
  return `# bash completion of trawl: eval "$(trawl completion bash)"
_trawl() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local options="" namespaces=0 word
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("")}  esac
  if [[ $before == --namespace ]]; then
    COMPREPLY=($(compgen -W "$(trawl ls --names 2>/dev/null)" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ $before != --* ]] && ((COMP_CWORD - 1 <= namespaces)); then
    COMPREPLY=($(compgen -W "$(trawl ls --names 2>/dev/null)" -- "$current"))
  fi
}
complete -o default -F _trawl trawl
`;
}

/** A script for zsh, to be sourced or put in a file `_trawl` of `$fpath`. */
function zshCompletion(commands: readonly CompletionWords[]): string {
  const described = commands.map(
    ({ name, description }) => `      ${zshQuoted(`${name}:${escaped(description)}`)}\n`,
  );
  const cases = commands.map(({ name, options, namespaceCount }) => {
    const flags = options.map((option) =>
      zshQuoted(`${option.flag}:${escaped(option.description)}`),
    );
    return `    ${name}) options=(${flags.join(" ")}); namespaces=${namespaceCount} ;;\n`;
  });
  return `#compdef trawl
# zsh completion of trawl: eval "$(trawl completion zsh)"
_trawl_namespaces() {
  local -a names
  names=(\${(f)"$(trawl ls --names 2>/dev/null)"})
  compadd -a names
}
_trawl() {
  local before=$words[CURRENT-1] current=$words[CURRENT]
  local -a options commands
  local -i namespaces=0
  if (( CURRENT == 2 )); then
    commands=(
${described.join("")}    )
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join("")}  esac
  if [[ $before == --namespace ]]; then
    _trawl_namespaces
  elif [[ $current == -* ]]; then
    _describe option options
  elif [[ $before != --* ]] && (( CURRENT - 2 <= namespaces )); then
    _trawl_namespaces
  else
    _files
  fi
}
if [[ $funcstack[1] == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi
`;
}

/** Colons separate a word from what it means. */
function escaped(text: string): string {
  return text.replaceAll(":", "\\:");
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const NAMESPACES = '-a "(trawl ls --names 2>/dev/null)"';

/** A script for fish. */
function fishCompletion(commands: readonly CompletionWords[]): string {
  const lines = commands.flatMap(({ name, description, options, namespaceCount }) => [
    `complete -c trawl -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(description)}`,
    ...(namespaceCount > 0 ? [`complete -c trawl -n ${seen(name)} -f ${NAMESPACES}`] : []),
    ...options.map((option) => {
      const flag = option.flag.slice("--".length);
      const values = flag === "namespace" ? ` -x ${NAMESPACES}` : "";
      const help = fishQuoted(option.description);
      return `complete -c trawl -n ${seen(name)} -l ${flag}${values} -d ${help}`;
    }),
  ]);
  return `# fish completion of trawl: trawl completion fish | source\n${lines.join("\n")}\n`;
}

function seen(name: string): string {
  return `'__fish_seen_subcommand_from ${name}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** What a shell offers for one command. */
interface CompletionWords {
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
function completionWords(program: Command): CompletionWords[] {
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
