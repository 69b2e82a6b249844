/** The `embed` settings of a write's schema: which vector attribute each source text fills. */

import { type DatabaseError, invalid } from "../../base/errors.ts";
import { checkAttributeNameLength } from "../../model/attribute-name.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { EMBEDDED_ATTRIBUTES_MAX } from "../../model/contract-limits.ts";
import type { AttributeSchema, DistanceMetric } from "../../model/schema.ts";
import type { EmbedDeclaration } from "./schema-declaration.ts";
import { updateFault } from "./schema-faults.ts";

/** All that a request says about native embedding. */
export interface EmbedChange {
  /** By source attribute. */
  readonly embeds: ReadonlyMap<string, EmbedDeclaration>;
  /** Source attributes that stop being embedded; their vectors stay. */
  readonly stops: readonly string[];
  readonly currentMetric: DistanceMetric | undefined;
  readonly change: {
    readonly isNewNamespace: boolean;
    readonly distanceMetric: DistanceMetric | undefined;
    dimensionsOf(model: string): number | undefined;
  };
}

/**
 * Applies embed settings to `attributes`, after all plain declarations are merged. Adds the vector
 * attribute where it is not declared, which only the write that creates the namespace may do.
 */
export function mergeEmbeds(attributes: Map<string, AttributeSchema>, change: EmbedChange): void {
  for (const name of change.stops) {
    const source = attributes.get(name);
    if (!source?.embed) continue;
    const { embed: _, ...plain } = source;
    attributes.set(name, plain);
  }
  for (const [name, declared] of change.embeds) {
    const source = attributes.get(name);
    if (!source) continue;
    const target = declared.attribute ?? source.embed?.attribute ?? `embed_${name}`;
    checkAttributeNameLength(target);
    attributes.set(name, { ...source, embed: { model: declared.model, attribute: target } });
    attributes.set(target, mergeTarget(attributes.get(target), target, declared, change));
  }
  checkEmbeds(attributes);
}

function mergeTarget(
  existing: AttributeSchema | undefined,
  name: string,
  declared: EmbedDeclaration,
  change: EmbedChange,
): AttributeSchema {
  if (name === "id")
    throw invalid("💔 attribute 'id' cannot take embeddings: it is no dense vector");
  if (existing) {
    checkTarget(existing.type, name, declared);
    return existing;
  }
  if (!change.change.isNewNamespace) {
    throw invalid(
      `💔 cannot add vector attribute '${name}' for embedding: vector attributes are fixed when ` +
        "the namespace is created; name an existing one with `attribute`",
    );
  }
  const dimensions = declared.dimensions ?? change.change.dimensionsOf(declared.model);
  if (dimensions === undefined) {
    throw invalid(
      `💔 unknown dimensions of embedding model "${declared.model}": give them as \`dims\``,
    );
  }
  const metric = change.currentMetric ?? change.change.distanceMetric;
  return {
    type: { kind: "vector", dimensions, element: declared.element ?? "f16" },
    filterable: false,
    ann: { distanceMetric: metric ?? "cosine_distance", lateInteraction: false },
  };
}

function checkTarget(type: AttributeType, name: string, declared: EmbedDeclaration): void {
  if (type.kind !== "vector") {
    throw invalid(`💔 attribute '${name}' cannot take embeddings: it is no dense vector`);
  }
  const { dimensions, element } = declared;
  if (dimensions !== undefined && dimensions !== type.dimensions) {
    throw invalid(
      `💔 embedding into '${name}': dims is ${dimensions}, ` +
        `but the attribute has ${type.dimensions} dimensions`,
    );
  }
  if (element !== undefined && element !== type.element) {
    throw invalid(
      `💔 embedding into '${name}': dtype is ${element}, but the attribute is ${type.element}`,
    );
  }
}

function checkEmbeds(attributes: ReadonlyMap<string, AttributeSchema>): void {
  const sources = new Map<string, string>();
  for (const [name, { embed }] of attributes) {
    if (!embed) continue;
    if (!attributes.has(embed.attribute)) throw isFilled(embed.attribute, name);
    const other = sources.get(embed.attribute);
    if (other !== undefined) {
      throw invalid(
        `💔 '${other}' and '${name}' cannot both be embedded into '${embed.attribute}'`,
      );
    }
    sources.set(embed.attribute, name);
  }
  if (sources.size > EMBEDDED_ATTRIBUTES_MAX) {
    throw invalid(
      `💔 a namespace has at most ${EMBEDDED_ATTRIBUTES_MAX} embedded attributes, ` +
        `was ${sources.size}`,
    );
  }
}

function isFilled(vector: string, source: string): DatabaseError {
  return updateFault(
    vector,
    `cannot drop it, because '${source}' is embedded into it: drop '${source}', too, or set its ` +
      "`embed` to null",
  );
}
