import type { Terminal } from "../output/terminal.ts";
import { UsageError } from "./usage-error.ts";

/** What is asked before something is lost. */
export interface Confirmation {
  /** What will be gone, and how much of it. */
  readonly warning: string;
  /** What must be typed. */
  readonly word: string;
  /** Given with `--yes`: nobody is asked. */
  readonly yes: boolean;
}

/**
 * Has the user type `word` on a terminal; true if it was that. Throws `UsageError` where nobody can
 * be asked and `--yes` was not given.
 */
export async function confirm(
  { warning, word, yes }: Confirmation,
  terminal: Terminal,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.inIsTerminal) {
    throw new UsageError(`${warning}; say --yes, since there is no terminal to ask at`);
  }
  terminal.err(`${warning}.\nType ${word} to go on: `);
  return (await firstLine(terminal.input)) === word;
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0].trim();
}
