/** The rules for attributes' names. */

import { clip, clipName, hasMoreCodePoints } from "../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../base/errors.ts";
import { ATTRIBUTE_NAME_CHARS_MAX } from "./contract-limits.ts";

/** How much of a name that is too long its error quotes, in UTF-16 units. */
const TOO_LONG_QUOTED_CHARS = 40;

/** Refuses a name that attributes cannot have (400). Looks at no more of it than the limit. */
export function checkAttributeName(name: string): void {
  if (name === "") throw invalid("💔 attribute names must not be empty");
  if (name.startsWith("$")) {
    throw invalid(`💔 attribute name "${clipName(name)}" must not start with \`$\``);
  }
  checkAttributeNameLength(name);
}

/** Refuses a name with more code points than attributes' names may have (400). */
export function checkAttributeNameLength(name: string): void {
  if (hasMoreCodePoints(name, ATTRIBUTE_NAME_CHARS_MAX)) throw attributeNameTooLong(name);
}

/** The error for a name that is too long, of which `start` is at least what is quoted. */
export function attributeNameTooLong(start: string): DatabaseError {
  return invalid(
    `💔 attribute name "${clip(start, TOO_LONG_QUOTED_CHARS)}" is too long, ` +
      `limit is ${ATTRIBUTE_NAME_CHARS_MAX} characters`,
  );
}
