/**
 * JSON values of requests as the console edits them. Integers that a float64 cannot hold are
 * bigints, so that 64-bit ids and attributes survive.
 */
export type Json =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A JSON object. */
export type JsonMembers = { readonly [name: string]: Json };

/** Tells whether the value is an object, and no array. */
export function isMembers(value: Json | undefined): value is JsonMembers {
  return typeof value === "object" && value !== null && !isList(value);
}

/** Tells whether the value is an array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A number of JSON's syntax: a bigint where a float64 would round an integer. */
export function numberOf(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !/^-?\d+$/.test(text)) return number;
  return BigInt(text);
}

/**
 * The path of the first place where two values differ, as the server writes paths
 * (`queries[0].filters[2]`); undefined where they say the same. Members have no order.
 */
export function firstDifference(a: Json, b: Json, path = ""): string | undefined {
  if (isList(a) && isList(b)) {
    const count = Math.max(a.length, b.length);
    for (let i = 0; i < count; i++) {
      const place = `${path}[${i}]`;
      if (i >= a.length || i >= b.length) return place;
      const found = firstDifference(a[i], b[i], place);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isMembers(a) && isMembers(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const place = memberPath(path, name);
      if (!Object.hasOwn(a, name) || !Object.hasOwn(b, name)) return place;
      const found = firstDifference(a[name], b[name], place);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(a, b) || a === b ? undefined : path;
}

/** The path of a member, as the server writes it. */
function memberPath(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
