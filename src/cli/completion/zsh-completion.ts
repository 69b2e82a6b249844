import type { CompletionWords } from "./completion-words.ts";

/** A script for zsh, to be sourced or put in a file `_trawl` of `$fpath`. */
export function zshCompletion(commands: readonly CompletionWords[]): string {
  const described = commands.map(
    ({ name, description }) => `      ${quoted(`${name}:${escaped(description)}`)}\n`,
  );
  const cases = commands.map(({ name, options, namespaceCount }) => {
    const flags = options.map((option) => quoted(`${option.flag}:${escaped(option.description)}`));
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
