/** A progress bar on a terminal, and a line now and then elsewhere. */

const BAR_WIDTH = 40;
/** Lines that a run without a terminal prints at most. */
const LINES_MAX = 5;

/** Shows how far a known number of things has come. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #total: number;
  #linesShown = 0;

  constructor(out: NodeJS.WriteStream, total: number) {
    this.#out = out;
    this.#total = total;
  }

  /** Shows that `done` of all things are finished. */
  show(done: number): void {
    const share = done / this.#total;
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    if (this.#out.isTTY) {
      const filled = Math.round(share * BAR_WIDTH);
      const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
      this.#out.write(`\r  ${bar} ${percent}  ${done} of ${this.#total}`);
      return;
    }
    if (Math.floor(share * LINES_MAX) <= this.#linesShown) return;
    this.#linesShown = Math.floor(share * LINES_MAX);
    this.#out.write(`  ${percent}  ${done} of ${this.#total}\n`);
  }

  /** Leaves the bar's line. */
  end(): void {
    if (this.#out.isTTY) this.#out.write("\n");
  }
}
