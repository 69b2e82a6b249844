import { DatabaseError } from "../../base/errors.ts";

/** A stored segment's object is not in the store: it was collected, or lost. */
export class SegmentMissing extends DatabaseError {
  constructor(message: string) {
    super("unavailable", message);
  }
}
