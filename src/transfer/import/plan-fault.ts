/** The data, or what was asked for, does not make an import; nothing was written. */
export class PlanFault extends Error {
  /** The column at fault, if it is one. */
  readonly column: string | undefined;

  constructor(message: string, column?: string) {
    super(message);
    this.column = column;
  }
}
