/** Counts the work of nested loops, so that their steps are short whichever of them is long. */
export class Pace {
  readonly #unitsPerStep: number;
  #units = 0;

  /** A step is over after so many units of work. */
  constructor(unitsPerStep: number) {
    this.#unitsPerStep = unitsPerStep;
  }

  /** Counts work that is done, or is about to be. */
  add(units: number): void {
    this.#units += units;
  }

  /** Counts work, and returns true if the step is over; the next one begins then. */
  isDue(units = 0): boolean {
    this.#units += units;
    if (this.#units < this.#unitsPerStep) return false;
    this.#units = 0;
    return true;
  }
}
