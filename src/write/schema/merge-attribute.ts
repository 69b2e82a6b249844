/** One attribute's declaration against its existing schema: which options it has afterwards. */

import { invalid } from "../../base/errors.ts";
import { type AttributeType, formatAttributeType } from "../../model/attribute-type.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AnnOptions, AttributeSchema, DistanceMetric } from "../../model/schema.ts";
import { completeFullText } from "./full-text-declaration.ts";
import type { AttributeDeclaration } from "./schema-declaration.ts";
import { checkMetric, missingAnn, typeChange, updateFault } from "./schema-faults.ts";

/** Where a declaration stands. */
export interface DeclarationPlace {
  readonly name: string;
  readonly change: {
    readonly isNewNamespace: boolean;
    readonly distanceMetric: DistanceMetric | undefined;
  };
}

/**
 * Merges one declaration, all but `embed`. The metric of a new `ann` is a stand-in where the
 * request has none: the caller settles it for the namespace.
 */
export function mergeAttribute(
  existing: AttributeSchema | undefined,
  declared: AttributeDeclaration,
  place: DeclarationPlace,
): AttributeSchema {
  const { name } = place;
  const type = mergeType(existing, declared.type, place);
  checkOptions(type, declared, place);
  const fullTextSearch = mergeFullText(existing, declared, type, name);
  const search = {
    ...flag("regex", mergeFlag(existing?.regex, declared.regex, declared.form)),
    ...flag("glob", mergeFlag(existing?.glob, declared.glob, declared.form)),
    ...flag("fuzzy", mergeFlag(existing?.fuzzy, declared.fuzzy, declared.form)),
  };
  const hasSearch = fullTextSearch !== undefined || Object.keys(search).length > 0;
  const ann = mergeAnn(existing, declared, type, place);
  if (type.kind === "vector" && !ann) throw missingAnn(name, type);
  return {
    type,
    filterable:
      isFilterableType(type) && (declared.filterable ?? existing?.filterable ?? !hasSearch),
    ...(fullTextSearch ? { fullTextSearch } : {}),
    ...search,
    ...(ann ? { ann } : {}),
    ...(type.kind === "sparse" ? { sparseKnn: true as const } : {}),
    ...(existing?.embed ? { embed: existing.embed } : {}),
    ...(existing?.column === undefined ? {} : { column: existing.column }),
  };
}

/** Tells whether values of a type can be indexed for filters and ordering. */
function isFilterableType(type: AttributeType): boolean {
  return type.kind === "scalar" || type.kind === "array";
}

function mergeType(
  existing: AttributeSchema | undefined,
  declared: AttributeType,
  place: DeclarationPlace,
): AttributeType {
  const to = formatAttributeType(declared);
  if (!existing) {
    const isVector = declared.kind === "vector" || declared.kind === "multi_vector";
    if (isVector && !place.change.isNewNamespace) {
      throw updateFault(
        place.name,
        "vector attributes can only be added by the write that creates the namespace",
      );
    }
    if (to === "[]unknown") throw updateFault(place.name, "cannot declare type []unknown");
    return declared;
  }
  const from = formatAttributeType(existing.type);
  if (from === to) return existing.type;
  // Only empty arrays were seen so far, so that any array type fits.
  if (from === "[]unknown" && declared.kind === "array") return declared;
  throw typeChange(place.name, from, to);
}

/** Refuses options that the type cannot have. */
function checkOptions(
  type: AttributeType,
  declared: AttributeDeclaration,
  { name }: DeclarationPlace,
): void {
  const text = formatAttributeType(type);
  const refuse = (option: string, rule: string) =>
    updateFault(name, `\`${option}\` is only supported on ${rule}, but the type is ${text}`);
  const isText = text === "string" || text === "[]string";
  for (const option of ["regex", "glob", "fuzzy"] as const) {
    if (declared[option] && !isText) throw refuse(option, "string and []string");
  }
  if (declared.fullTextSearch && !isText) throw refuse("full_text_search", "string and []string");
  if (declared.sparseKnn && type.kind !== "sparse") throw refuse("sparse_knn", "{}f16");
  if (declared.embed && text !== "string") throw refuse("embed", "string");
  if (!declared.ann) return;
  const late = declared.ann !== true && declared.ann.lateInteraction;
  if (late && type.kind !== "multi_vector") throw refuse("late_interaction", "[][N]f32");
  if (type.kind !== "vector" && type.kind !== "multi_vector") throw refuse("ann", "vectors");
}

function mergeFullText(
  existing: AttributeSchema | undefined,
  declared: AttributeDeclaration,
  type: AttributeType,
  name: string,
): FullTextOptions | undefined {
  if (declared.form === "shorthand" || declared.fullTextSearch === false) return undefined;
  if (declared.fullTextSearch === undefined) return existing?.fullTextSearch;
  const options = completeFullText(existing?.fullTextSearch, declared.fullTextSearch, name);
  if (options.tokenizer === "pre_tokenized_array" && type.kind !== "array") {
    throw invalid("💔 tokenizer `pre_tokenized_array` is only supported on []string attributes");
  }
  return options;
}

function mergeFlag(
  existing: true | undefined,
  declared: boolean | undefined,
  form: "shorthand" | "object",
): boolean {
  if (form === "shorthand") return false;
  return declared ?? existing ?? false;
}

function flag<K extends string>(key: K, on: boolean): Partial<Record<K, true>> {
  return on ? ({ [key]: true } as Partial<Record<K, true>>) : {};
}

function mergeAnn(
  existing: AttributeSchema | undefined,
  declared: AttributeDeclaration,
  type: AttributeType,
  place: DeclarationPlace,
): AnnOptions | undefined {
  const sent = declared.ann;
  if (sent === undefined) return existing?.ann;
  if (sent === false) {
    if (existing?.ann) throw updateFault(place.name, "`ann` cannot be turned off");
    return undefined;
  }
  const metric = annMetric(existing, sent === true ? undefined : sent.distanceMetric, place);
  const late = sent === true ? undefined : sent.lateInteraction;
  const lateInteraction = late ?? existing?.ann?.lateInteraction ?? false;
  if (type.kind === "multi_vector" && !lateInteraction) {
    throw invalid(
      `💔 vector attribute '${place.name}' needs \`ann\` with \`late_interaction\`: true`,
    );
  }
  if (existing && !existing.ann) {
    throw updateFault(place.name, "`ann` can only be set when the attribute is declared");
  }
  return { distanceMetric: metric, lateInteraction };
}

/** An `ann` object may repeat the namespace's metric; it can neither set nor replace it. */
function annMetric(
  existing: AttributeSchema | undefined,
  sent: DistanceMetric | undefined,
  place: DeclarationPlace,
): DistanceMetric {
  const expected = existing?.ann?.distanceMetric ?? place.change.distanceMetric;
  if (sent === undefined) return expected ?? "cosine_distance";
  if (expected === undefined) {
    throw invalid(
      "💔 `distance_metric` must be specified as a field at the top level of the write request, " +
        "not in the `ann` configuration for an attribute",
    );
  }
  checkMetric(expected, sent);
  return expected;
}
