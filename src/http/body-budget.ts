/** The bytes of request bodies that are in memory, over all requests, against their bound. */
export class BodyBudget {
  /** Bound on all bodies together. */
  readonly bytesMax: number;
  #bytesUsed = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes that are charged now. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Charges `bytes` if they fit, and tells whether they did. */
  reserve(bytes: number): boolean {
    if (this.#bytesUsed + bytes > this.bytesMax) return false;
    this.#bytesUsed += bytes;
    return true;
  }

  /** Gives back what `reserve` charged. */
  release(bytes: number): void {
    this.#bytesUsed -= bytes;
  }
}
