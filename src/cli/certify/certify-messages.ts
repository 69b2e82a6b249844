/** What `trawl certify` and its processes say to each other. */

/** The command → one of its processes. */
export type ToWorker =
  /** Put the racer's body under `key`, if absent. */
  { readonly kind: "race"; readonly key: string; readonly racer: number } | NumberedPuts;

/** Put objects with rising numbers from `first`, `parallel` at a time, until the end. */
export interface NumberedPuts {
  readonly kind: "put numbered";
  readonly first: number;
  readonly parallel: number;
}

/** A process → the command. */
export type FromWorker =
  | { readonly kind: "ready" }
  | {
      readonly kind: "raced";
      readonly racer: number;
      readonly outcome: "written" | "conflict" | "unknown";
      readonly message?: string;
    }
  | { readonly kind: "acknowledged"; readonly number: number };

/** The body of a numbered object: its length and bytes follow from the number. */
export function numberedBody(number: number): Uint8Array {
  return new Uint8Array(1 + ((number * 7919) % 100_000)).fill(number % 251);
}
