/** What is wrong with what was typed into the builder, by the control it was typed into. */
export class Problems {
  readonly #messages = new Map<string, string>();

  /** Notes the fault of a control; the first one of each counts. */
  note(place: string, message: string): void {
    if (!this.#messages.has(place)) this.#messages.set(place, message);
  }

  /** By place, as `rankings.0.query` or `filter.1`. */
  get messages(): ReadonlyMap<string, string> {
    return this.#messages;
  }
}
