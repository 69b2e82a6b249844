import type { CompletionWords } from "./completion-words.ts";

/** A script for bash; names of namespaces come from the server that the environment names. */
export function bashCompletion(commands: readonly CompletionWords[]): string {
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
