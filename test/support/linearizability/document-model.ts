/** Documents of a namespace as a sequential object. */

import type { Model, Operation } from "./operation.ts";

/** A document: upserts set `v` and remove `p`, patches set `p`. Each value is written once. */
export interface VersionedDocument {
  readonly v: number;
  readonly p: number | null;
}

/** Documents by id, from 0; undefined for ids without a document. */
export type DocumentsState = readonly (VersionedDocument | undefined)[];

/** A write, a read of some ids, or the deletion of the namespace, of whose documents `ids` are. */
export type DocumentsInput =
  | {
      readonly kind: "read";
      readonly ids: readonly number[];
      readonly by: "query" | "multi-query" | "export";
      /** The read is eventual: what it finds may be older by so much. Absent: it is strong. */
      readonly staleSeconds?: number;
    }
  | { readonly kind: "delete namespace"; readonly ids: readonly number[] }
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
export type DocumentsOutput =
  | { readonly rows: number }
  | { readonly documents: DocumentsState }
  | { readonly namespace: "deleted" | "missing" };

/** The documents of a namespace; undefined where there is no namespace. */
export type NamespaceState = DocumentsState | undefined;

type DocumentsModel = Model<NamespaceState, DocumentsInput, DocumentsOutput>;

/** The namespace as one object. */
export function namespaceModel(initial: DocumentsState): DocumentsModel {
  return { initial, step: (...asked) => stepOf(initial.length, ...asked), textOf: stateText };
}

/**
 * Some documents of a namespace. Writes to the others may create it anew, so that only these
 * documents tell whether they are there.
 */
export function documentsModel(initial: DocumentsState): DocumentsModel {
  const gone = initial.map(() => undefined);
  return {
    initial,
    step: (state = gone, input, output) => {
      const isEmpty = state.every((document) => document === undefined);
      const isGone = output !== undefined && "namespace" in output;
      if (input.kind === "delete namespace") {
        const isMissing = isGone && output.namespace === "missing";
        return { ok: !isMissing || isEmpty, state: gone };
      }
      // For other ids, the namespace may be missing.
      if (isGone) return { ok: isEmpty, state };
      return stepOf(initial.length, state, input, output);
    },
    textOf: stateText,
  };
}

function stepOf(
  count: number,
  state: NamespaceState,
  input: DocumentsInput,
  output: DocumentsOutput | undefined,
): { readonly ok: boolean; readonly state: NamespaceState } {
  const known: DocumentsState = state ?? Array.from({ length: count }, () => undefined);
  const told = output !== undefined && "namespace" in output ? output.namespace : undefined;
  if (input.kind === "delete namespace") {
    const outcome = state === undefined ? "missing" : "deleted";
    return { ok: told === undefined || told === outcome, state: undefined };
  }
  if (input.kind === "read") {
    const isRight = told === (state === undefined ? "missing" : undefined);
    if (state === undefined || !isRight) return { ok: output === undefined || isRight, state };
    const found = input.ids.map((id) => known[id]);
    const wanted = output !== undefined && "documents" in output ? output.documents : found;
    return { ok: textOf(found) === textOf(wanted), state };
  }
  const after = [...known];
  let rows = 0;
  for (const id of input.ids) {
    const { document, isAffected } = changed(known[id], input);
    after[id] = document;
    if (isAffected) rows++;
  }
  // Without a namespace, only upserts change something; other writes succeed without effect.
  const isThere = state !== undefined || input.kind === "upsert";
  const ok = output === undefined || ("rows" in output && output.rows === rows);
  return { ok, state: isThere ? after : undefined };
}

/** Applies a write to one document, as docs/concepts/documents.md says. */
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
  if ("namespace" in output) return output;
  if ("documents" in output) return { documents: [output.documents[ids.indexOf(id)]] };
  // Writes of several documents have no condition: they affect each.
  return { rows: output.rows - (ids.length - 1) };
}

/** Describes a call on documents. */
export function documentsText(input: DocumentsInput, output: DocumentsOutput | undefined): string {
  const outcome = output === undefined ? "unknown" : outputText(output);
  const ids = input.ids.join(", ");
  if (input.kind === "delete namespace") return `delete the namespace → ${outcome}`;
  if (input.kind === "read") {
    const { by, staleSeconds } = input;
    const level = staleSeconds === undefined ? "" : `, up to ${staleSeconds} s old,`;
    return `${by} ${ids}${level} → ${outcome}`;
  }
  const { kind, value, expected } = input;
  const set = { upsert: ` v${value}`, patch: ` p${value}`, delete: "" }[kind];
  const states = expected === "absent" ? " if absent" : ` if v${expected}`;
  return `${kind} ${ids}${set}${expected === undefined ? "" : states} → ${outcome}`;
}

function outputText(output: DocumentsOutput): string {
  if ("namespace" in output) return `namespace ${output.namespace}`;
  return "rows" in output ? `${output.rows} affected` : textOf(output.documents);
}

function stateText(state: NamespaceState): string {
  return state === undefined ? "no namespace" : textOf(state);
}

function textOf(documents: DocumentsState): string {
  return documents
    .map((document) => {
      if (document === undefined) return "none";
      return document.p === null ? `v${document.v}` : `v${document.v} p${document.p}`;
    })
    .join(", ");
}
