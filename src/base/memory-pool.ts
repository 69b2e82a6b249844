/** A bound on memory that several share, by what each of them counts before it takes it. */
export class MemoryPool {
  readonly bytesMax: number;
  #bytesUsed = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes of all of them now. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Adds to what is used; less than 0 gives back. */
  add(bytes: number): void {
    this.#bytesUsed += bytes;
  }
}
