/** What a namespace has that rankings, lists and filters can be made of. */

import type { NamespaceMetadata } from "../../api/namespaces.ts";
import type { VectorChoice } from "./ranking-form.ts";

/** See the file's head. */
export interface NamespaceChoices {
  /** Attributes that can be searched for words. */
  readonly texts: readonly string[];
  readonly vectors: readonly VectorChoice[];
  /** What is shown of a document: a title and something to judge it by. */
  readonly shown: readonly string[];
  /** Attributes that filters of a given selectivity can be made of. */
  readonly filters: readonly FilterChoice[];
}

/** One of them: bounds are made of numbers and times, single values of all else. */
export interface FilterChoice {
  readonly attribute: string;
  readonly kind: "whole" | "float" | "time" | "value";
}

const DENSE = /^\[\d+\](?:f32|f16|i8)$/;
const FILTER_KINDS: Readonly<Record<string, FilterChoice["kind"]>> = {
  int: "whole",
  uint: "whole",
  float: "float",
  datetime: "time",
  string: "value",
  bool: "value",
};
const SHOWN_MAX = 2;

/** Reads the choices from what the server tells of a namespace. */
export function choicesOf({ schema }: Pick<NamespaceMetadata, "schema">): NamespaceChoices {
  const attributes = Object.entries(schema);
  const embeds = new Map(
    attributes.flatMap(([name, { embed }]) => {
      const target = (embed as { readonly attribute?: string } | undefined)?.attribute;
      return target === undefined ? [] : [[target, name] as const];
    }),
  );
  const texts = attributes.filter(([, { full_text_search: search }]) => search).map(nameOf);
  const strings = attributes.filter(([name, { type }]) => name !== "id" && type === "string");
  return {
    texts,
    vectors: attributes
      .filter(([, { type, ann }]) => DENSE.test(type) && ann)
      .map(([attribute]) => ({ attribute, embeds: embeds.get(attribute) })),
    shown: [...new Set([...texts, ...strings.map(nameOf)])].slice(0, SHOWN_MAX),
    filters: attributes.flatMap(([attribute, { type, filterable }]) => {
      const kind = FILTER_KINDS[type];
      const canFilter = attribute === "id" ? kind === "whole" : filterable === true;
      return kind !== undefined && canFilter ? [{ attribute, kind }] : [];
    }),
  };
}

function nameOf([name]: readonly [string, unknown]): string {
  return name;
}
