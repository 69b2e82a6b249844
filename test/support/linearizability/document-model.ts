/** Documents of a namespace as a sequential object. */

import type { Model, Operation } from "./operation.ts";

/** A document: upserts set `v` and remove `p`, patches set `p`. Each value is written once. */
export interface VersionedDocument {
  readonly v: number;
  readonly p: number | null;
}

/** Documents by id, from 0; undefined for ids without a document. */
export type DocumentsState = readonly (VersionedDocument | undefined)[];

/** A write, or a strong read of some ids. */
export type DocumentsInput =
  | {
      readonly kind: "read";
      readonly ids: readonly number[];
      readonly by: "query" | "multi-query" | "export";
    }
  | DocumentsWrite;

/** A write request. With a condition it has one id. */
export interface DocumentsWrite {
  readonly kind: "upsert" | "patch" | "delete";
  readonly ids: readonly number[];
  /** New value of `v` or `p`. */
  readonly value: number;
  /** Condition: the document must have this `v`, or must be absent. */
  readonly expected?: number | "absent";
}

/** Documents that a write affected, or those that a read found, in the order of its ids. */
export type DocumentsOutput = { readonly rows: number } | { readonly documents: DocumentsState };

/** The namespace as one object. */
export function documentsModel(
  initial: DocumentsState,
): Model<DocumentsState, DocumentsInput, DocumentsOutput> {
  return {
    initial,
    step: (state, input, output) => {
      if (input.kind === "read") {
        const found = input.ids.map((id) => state[id]);
        const wanted = output !== undefined && "documents" in output ? output.documents : found;
        return { ok: textOf(found) === textOf(wanted), state };
      }
      const after = [...state];
      let rows = 0;
      for (const id of input.ids) {
        const { document, isAffected } = changed(state[id], input);
        after[id] = document;
        if (isAffected) rows++;
      }
      return {
        ok: output === undefined || ("rows" in output && output.rows === rows),
        state: after,
      };
    },
    textOf,
  };
}

/** Applies a write to one document, as specified in docs/concepts/documents.md. */
function changed(
  old: VersionedDocument | undefined,
  { kind, value, expected }: DocumentsWrite,
): { readonly document: VersionedDocument | undefined; readonly isAffected: boolean } {
  const isMet = expected === undefined || old?.v === expected;
  const none = { document: old, isAffected: false };
  switch (kind) {
    case "upsert":
      // A condition is one on the document that is there.
      if (old !== undefined && !isMet) return none;
      return { document: { v: value, p: null }, isAffected: true };
    case "patch":
      if (old === undefined || !isMet) return none;
      return { document: { ...old, p: value }, isAffected: true };
    case "delete":
      if (!isMet) return none;
      return { document: undefined, isAffected: true };
  }
}

/** The part of a history that is about one document. */
export function historyOfDocument(
  operations: readonly Operation<DocumentsInput, DocumentsOutput>[],
  id: number,
): Operation<DocumentsInput, DocumentsOutput>[] {
  return operations
    .filter(({ input }) => input.ids.includes(id))
    .map((operation) => {
      const { input, returned } = operation;
      const part = { ...operation, input: { ...input, ids: [id] } };
      if (returned === undefined) return part;
      const { at, output } = returned;
      return { ...part, returned: { at, output: outputOfDocument(output, input, id) } };
    });
}

function outputOfDocument(
  output: DocumentsOutput,
  { ids }: DocumentsInput,
  id: number,
): DocumentsOutput {
  if ("documents" in output) return { documents: [output.documents[ids.indexOf(id)]] };
  // Writes of several documents have no condition: they affect each.
  return { rows: output.rows - (ids.length - 1) };
}

/** Describes a call on documents. */
export function documentsText(input: DocumentsInput, output: DocumentsOutput | undefined): string {
  const outcome = output === undefined ? "unknown" : outputText(output);
  const ids = input.ids.join(", ");
  if (input.kind === "read") return `${input.by} ${ids} → ${outcome}`;
  const { kind, value, expected } = input;
  const set = { upsert: ` v${value}`, patch: ` p${value}`, delete: "" }[kind];
  const states = expected === "absent" ? " if absent" : ` if v${expected}`;
  return `${kind} ${ids}${set}${expected === undefined ? "" : states} → ${outcome}`;
}

function outputText(output: DocumentsOutput): string {
  return "rows" in output ? `${output.rows} affected` : textOf(output.documents);
}

function textOf(documents: DocumentsState): string {
  return documents
    .map((document) => {
      if (document === undefined) return "none";
      return document.p === null ? `v${document.v}` : `v${document.v} p${document.p}`;
    })
    .join(", ");
}
