/** What a command says in the end: a table for people, or one line of JSON. */

import type { Terminal } from "./terminal.ts";

/** See the file's head. */
export class Output {
  /** Whether results are JSON. */
  readonly isJson: boolean;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.isJson = isJson;
  }

  /** Gives the result: `json` as one line, or what `text` makes of it for people. */
  result(json: object, text: () => string): void {
    this.rawResult(JSON.stringify(json), text);
  }

  /** Likewise, of JSON that is text already: a server's answer whose integers may be long. */
  rawResult(json: string, text: () => string): void {
    const lines = this.isJson ? json : text().trimEnd();
    if (lines !== "") this.#terminal.out(`${lines}\n`);
  }

  /** A line for people; nothing where results are JSON. */
  line(text: string): void {
    if (!this.isJson) this.#terminal.out(`${text}\n`);
  }
}
