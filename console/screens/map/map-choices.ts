/** What of a namespace can be drawn, and by what it can be coloured. */

import type { NamespaceMetadata } from "../../api/namespaces.ts";

/** One attribute of dense vectors. */
export interface VectorAttribute {
  readonly attribute: string;
  readonly dims: number;
  readonly isCosine: boolean;
  /** The attribute of whose texts the server makes these vectors. */
  readonly embeds: string | undefined;
}

/** See the file's head. */
export interface MapChoices {
  readonly vectors: readonly VectorAttribute[];
  /** Attributes whose values colours can be of. */
  readonly colors: readonly string[];
  /** Attributes with vectors, which are not shown of a document. */
  readonly hidden: readonly string[];
  readonly idType: string;
}

const DENSE = /^\[(\d+)\](?:f32|f16|i8)$/;
/** Of vectors, sparse and several ones too, and of bytes. */
const HIDDEN = /^(?:(?:\[\])?\[\d+\]|\{\}|bytes$)/;
const COLORED = /^(?:\[\])?(?:string|int|uint|float|bool|datetime|uuid)$/;

/** Reads the choices from what the server tells of a namespace. */
export function mapChoices({ schema }: Pick<NamespaceMetadata, "schema">): MapChoices {
  const attributes = Object.entries(schema);
  const embeds = new Map(
    attributes.map(([name, { embed }]) => [
      (embed as { readonly attribute?: string } | undefined)?.attribute,
      name,
    ]),
  );
  embeds.delete(undefined);
  return {
    vectors: attributes.flatMap(([attribute, { type, ann }]) => {
      const dims = DENSE.exec(type)?.[1];
      if (dims === undefined || !ann) return [];
      const { distance_metric: metric } = ann as { readonly distance_metric?: string };
      const isCosine = metric !== "euclidean_squared";
      return [{ attribute, dims: Number(dims), isCosine, embeds: embeds.get(attribute) }];
    }),
    colors: attributes
      .filter(([name, { type }]) => name !== "id" && COLORED.test(type))
      .map(([name]) => name),
    hidden: attributes.filter(([, { type }]) => HIDDEN.test(type)).map(([name]) => name),
    idType: schema.id?.type ?? "string",
  };
}

/** A document's id from what a person typed; undefined where it cannot be one of this type. */
export function typedId(typed: string, idType: string): string | number | bigint | undefined {
  const text = typed.trim();
  if (idType !== "uint") return text === "" ? undefined : text;
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text);
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number;
}
