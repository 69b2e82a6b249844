/** The commands of backups, as somebody has filled in what they need. */

import { namespaceNameFault } from "../../../src/base/ids.ts";

/** What was typed, as it is. */
export interface BackupForm {
  /** A directory or `s3://bucket/prefix`; empty: an example. */
  readonly to: string;
  /** Names with spaces or commas between them; empty: all namespaces. */
  readonly only: string;
  /** How many backups are kept; empty: all. */
  readonly keep: string;
}

/**
 * The commands, each to be copied alone, since nobody wants to restore by pasting a backup; without
 * comments, which some shells take for arguments. What is wrong with what was typed is by field.
 */
export interface BackupCommands {
  readonly backup: string;
  readonly verify: string;
  readonly restore: string;
  readonly problems: Readonly<Partial<Record<keyof BackupForm, string>>>;
}

const EXAMPLE = "/backups/trawl";

/** Makes the commands for a shell. `needsKey`: the server has keys, and one is asked for. */
export function backupCommands(
  form: BackupForm,
  { url, needsKey }: { readonly url: string; readonly needsKey: boolean },
): BackupCommands {
  const place = shellWord(form.to.trim() || EXAMPLE);
  const names = form.only.split(/[\s,]+/).filter(Boolean);
  const keep = form.keep.trim();
  const options = [
    `--to ${place}`,
    // A name may begin like an option.
    ...names.map((name) => `--namespace=${shellWord(name)}`),
    ...(keep === "" ? [] : [`--keep ${shellWord(keep)}`]),
  ];
  const [only] = names.length === 1 ? names : [];
  // Beside the one that there is: whoever asks for one namespace mostly has it still.
  const beside = only && ` --namespace=${shellWord(only)} --as ${shellWord(`${only}-restored`)}`;
  // In one line with the command: what is pasted behind `read` would be read as the key.
  const key = needsKey ? "read -rs TURBOPUFFER_API_KEY && export TURBOPUFFER_API_KEY && " : "";
  const asked = (command: string) =>
    `export TURBOPUFFER_BASE_URL=${shellWord(url)}\n${key}npx trawl ${command}`;
  return {
    backup: asked(`backup ${options.join(" ")}`),
    verify: `npx trawl verify ${place}`,
    restore: asked(`restore --from ${place}${beside ?? ""}`),
    problems: problemsOf(form.to.trim(), names, keep),
  };
}

function problemsOf(
  to: string,
  names: readonly string[],
  keep: string,
): BackupCommands["problems"] {
  const wrong = names.find((name) => namespaceNameFault(name) !== undefined);
  return {
    ...(to.startsWith("-") && { to: "a place may not begin like an option: put ./ before it" }),
    ...(wrong !== undefined && { only: `${wrong}: ${namespaceNameFault(wrong)}` }),
    ...(keep !== "" &&
      !/^[1-9]\d{0,5}$/.test(keep) && { keep: "type a whole number from 1 to 999999" }),
  };
}

/** A word that a shell takes as it is. */
function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
