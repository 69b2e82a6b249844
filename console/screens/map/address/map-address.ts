/** What the address says of a map. */

import type { DocumentId } from "../../../api/documents.ts";
import { type MapChoices, typedId, type VectorAttribute } from "../map-choices.ts";

/** How vectors become points. */
export type MapMethod = "pca" | "umap";

/** What the pointer does where it is drawn over the map. */
export type PointerMode = "move" | "lasso";

/** See the file's head. */
export interface MapAddress {
  readonly vector: VectorAttribute;
  readonly wanted: number;
  /** The filter as it was written, and parsed; `fault` says why it is none. */
  readonly filter: { readonly text: string; readonly value: unknown; readonly fault?: string };
  /** Undefined: one colour for all. */
  readonly color: string | undefined;
  readonly method: MapMethod;
  /** What dragging the pointer does. */
  readonly mode: PointerMode;
  /** Text of view-address.ts; undefined: all points are seen. */
  readonly view: string | undefined;
  /** Text of selection-address.ts; undefined: nothing is selected. */
  readonly selected: string | undefined;
  /** What neighbours are drawn of. */
  readonly near:
    | { readonly kind: "document"; readonly id: DocumentId }
    | { readonly kind: "words"; readonly text: string }
    | undefined;
}

/** Numbers of points that are offered. */
export const POINTS_OFFERED = [1000, 5000, 10_000, 20_000, 50_000] as const;
const POINTS_FIRST = 5000;
/** UMAP of 50,000 points took 3 GB and minutes, of 20,000 a third of both. */
export const UMAP_POINTS_MAX = 20_000;

/** Reads the address; what it does not say, or says wrongly, is as at the start. */
export function readAddress(parameters: URLSearchParams, choices: MapChoices): MapAddress {
  const named = choices.vectors.find(({ attribute }) => attribute === parameters.get("vector"));
  const vector = named ?? choices.vectors[0];
  const points = Number(parameters.get("points"));
  const method = parameters.get("by") === "umap" ? "umap" : "pca";
  const wanted = POINTS_OFFERED.find((each) => each === points) ?? POINTS_FIRST;
  const words = parameters.get("words") ?? "";
  const id = typedId(parameters.get("near") ?? "", choices.idType);
  return {
    vector,
    wanted: method === "umap" ? Math.min(wanted, UMAP_POINTS_MAX) : wanted,
    filter: readFilter(parameters.get("filter") ?? ""),
    color: choices.colors.find((name) => name === parameters.get("color")),
    method,
    mode: parameters.get("drag") === "lasso" ? "lasso" : "move",
    view: parameters.get("view") ?? undefined,
    selected: parameters.get("selected") ?? undefined,
    near: nearOf(id, words),
  };
}

/**
 * Changes of what is drawn, with what they take away: a part of another map, and points of other
 * documents, mean nothing.
 */
export function ofOtherPoints(
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return { ...changes, view: undefined, selected: undefined };
}

/** A filter from what was written: JSON as the API takes it; nothing is no filter. */
export function readFilter(text: string): MapAddress["filter"] {
  if (text.trim() === "") return { text: "", value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { text, value };
    return { text, value: undefined, fault: 'a filter is a list, as in ["year", "Gte", 1990]' };
  } catch (error) {
    return { text, value: undefined, fault: `no JSON: ${(error as Error).message}` };
  }
}

function nearOf(id: DocumentId | undefined, text: string): MapAddress["near"] {
  if (id !== undefined) return { kind: "document", id };
  return text === "" ? undefined : { kind: "words", text };
}
