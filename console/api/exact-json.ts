/**
 * JSON whose whole numbers stay what they are: ids have 64 bits, more than a JavaScript number
 * holds. Those beyond 2^53 become a `bigint`, and are written as the number that they were.
 */

/** Texts without so many digits in a row have no number that would be rounded. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

interface Source {
  /** The number as it was written; browsers have told it since 2023 to 2025. */
  readonly source?: string;
}

/** Parses JSON. Throws a `SyntaxError` as `JSON.parse` does. */
export function parseExact(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: Source): unknown => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    if (source === undefined) throw new SyntaxError(OLD_BROWSER);
    return INTEGER.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, revive);
}

const OLD_BROWSER =
  "this browser rounds ids of more than 53 bits; take Chrome 114, Firefox 135, Safari 18.4 or " +
  "a newer one";

/** Writes JSON without spaces; undefined members are left out. */
export function stringifyExact(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${stringifyExact(member)}`)
    .join()}}`;
}
