/** The process's streams as commands use them; a parameter for tests. */
export interface Terminal {
  /** Writes to standard output: results. */
  readonly out: (text: string) => void;
  /** Writes to standard error: progress and errors. */
  readonly err: (text: string) => void;
  /** Standard error is read by a person. */
  readonly errIsTerminal: boolean;
  /** Standard input is a keyboard. */
  readonly inIsTerminal: boolean;
  /** Standard input's bytes. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Characters in a line of the terminal. */
  readonly columns: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Columns where nobody says how many there are. */
const COLUMNS_DEFAULT = 80;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0); // As with `| head`: whoever reads has enough.
  });
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    errIsTerminal: stderr.isTTY === true,
    get inIsTerminal() {
      return stdin.isTTY === true;
    },
    get input() {
      return stdin;
    },
    columns: stderr.columns || stdout.columns || COLUMNS_DEFAULT,
    environment: process.env,
  };
}
