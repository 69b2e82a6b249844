/** Branded names and numbers: values of the same primitive type that must not be mixed. */

import { assert } from "./assert.ts";
import { clipName } from "./bounded-text.ts";

/** A namespace's name: 1 to 128 of `A-Za-z0-9-_.`. Made by `namespaceName`. */
export type NamespaceName = string & { readonly __brand: "NamespaceName" };

/** Position of a WAL entry; the first is 1, each next is one more. 0 means "before any entry". */
export type SequenceNumber = number & { readonly __brand: "SequenceNumber" };

/** Dense number of a document in one segment, from 0. */
export type Ordinal = number & { readonly __brand: "Ordinal" };

/** Name of one segment, unique in its namespace. */
export type SegmentId = string & { readonly __brand: "SegmentId" };

const NAMESPACE_NAME = /^[A-Za-z0-9\-_.]+$/;

/** Greatest length of a namespace's name, in characters (wire contract). */
export const NAMESPACE_NAME_CHARS_MAX = 128;

/** Says why `name` is no namespace name, or returns undefined if it is one. */
export function namespaceNameFault(name: string): string | undefined {
  if (name.length > NAMESPACE_NAME_CHARS_MAX) {
    const limit = `limit is currently ${NAMESPACE_NAME_CHARS_MAX} characters`;
    return `Namespace \`${clipName(name)}\` is too long, ${limit}`;
  }
  if (!NAMESPACE_NAME.test(name)) {
    return "Namespace contains invalid characters, must be [A-Za-z0-9-_.]";
  }
  return undefined;
}

/** Makes a namespace name of a string for which `namespaceNameFault` found no fault. */
export function namespaceName(name: string): NamespaceName {
  assert(namespaceNameFault(name) === undefined, `bad namespace name ${clipName(name)}`);
  return name as NamespaceName;
}

/** Makes a sequence number. */
export function sequenceNumber(value: number): SequenceNumber {
  assert(Number.isSafeInteger(value) && value >= 0, `bad sequence number ${value}`);
  return value as SequenceNumber;
}
