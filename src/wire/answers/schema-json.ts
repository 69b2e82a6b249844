/**
 * Schemas as JSON, in the two forms of the wire contract: that of the schema endpoint, where every
 * attribute has `type`, `filterable` and `full_text_search`, null where they do not apply, and that
 * inside metadata, which leaves nulls out and tells more of vectors.
 */

import { type AttributeType, formatAttributeType } from "../../model/attribute-type.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeSchema, Schema } from "../../model/schema.ts";
import { type JsonWriter, jsonBytes } from "../json/json-writer.ts";
import { writeFloat } from "./value-json.ts";

/** Encodes the answer of the schema endpoint: the bare map. */
export function encodeSchemaAnswer(schema: Schema): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    const members = new MemberList(json);
    json.raw("{");
    if (schema.idType !== undefined) {
      members.begin("id");
      json.raw(`{"type":"${schema.idType}","filterable":null,"full_text_search":null}`);
    }
    for (const [name, attribute] of schema.attributes) {
      members.begin(name);
      writeAttribute(json, name, attribute);
    }
    json.raw("}");
  });
}

/** Writes the schema as metadata shows it. */
export function writeMetadataSchema(json: JsonWriter, schema: Schema): void {
  const members = new MemberList(json);
  json.raw("{");
  if (schema.idType !== undefined) {
    members.begin("id");
    json.raw(`{"type":"${schema.idType}"}`);
  }
  for (const [name, attribute] of schema.attributes) {
    members.begin(name);
    writeMetadataAttribute(json, name, attribute);
  }
  json.raw("}");
}

/** Puts commas between members. */
class MemberList {
  readonly #json: JsonWriter;
  #isFirst = true;

  constructor(json: JsonWriter) {
    this.#json = json;
  }

  begin(name: string): void {
    if (!this.#isFirst) this.#json.raw(",");
    this.#isFirst = false;
    this.#json.key(name);
  }
}

function writeAttribute(json: JsonWriter, name: string, attribute: AttributeSchema): void {
  json.raw(`{"type":"${formatAttributeType(attribute.type)}"`);
  if (attribute.ann) json.raw(',"ann":true');
  const filterable = hidesFilterable(name, attribute.type) ? null : attribute.filterable;
  json.raw(`,"filterable":${filterable},"full_text_search":`);
  if (attribute.fullTextSearch) writeFullText(json, attribute.fullTextSearch, true);
  else json.null();
  writeSwitches(json, attribute);
  json.raw("}");
}

function writeMetadataAttribute(json: JsonWriter, name: string, attribute: AttributeSchema): void {
  const { ann, embed } = attribute;
  json.raw(`{"type":"${formatAttributeType(attribute.type)}"`);
  if (ann) {
    json.raw(`,"ann":{"distance_metric":"${ann.distanceMetric}"`);
    json.raw(ann.lateInteraction ? ',"late_interaction":true}' : "}");
  }
  if (!hidesFilterable(name, attribute.type)) json.raw(`,"filterable":${attribute.filterable}`);
  if (attribute.fullTextSearch) {
    json.raw(',"full_text_search":');
    writeFullText(json, attribute.fullTextSearch, false);
  }
  writeSwitches(json, attribute);
  if (attribute.sparseKnn) json.raw(',"sparse_knn":{"distance_metric":"dot_product"}');
  if (embed) {
    json.raw(',"embed":{"attribute":');
    json.string(embed.attribute);
    json.raw(',"model":');
    json.string(embed.model);
    json.raw("}");
  }
  json.raw("}");
}

/** The vector of the reserved name cannot be filtered by contract, so nothing is said of it. */
function hidesFilterable(name: string, type: AttributeType): boolean {
  return name === "vector" && (type.kind === "vector" || type.kind === "multi_vector");
}

function writeSwitches(json: JsonWriter, attribute: AttributeSchema): void {
  if (attribute.regex) json.raw(',"regex":true');
  if (attribute.glob) json.raw(',"glob":true');
  if (attribute.fuzzy) json.raw(',"fuzzy":true');
}

/** Options that the tokenizer ignores are null, or left out. */
function writeFullText(json: JsonWriter, options: FullTextOptions, showsNull: boolean): void {
  const isAnalyzed = options.tokenizer !== "pre_tokenized_array";
  const ignored = showsNull ? "null" : undefined;
  const language = isAnalyzed ? `"${options.language}"` : ignored;
  const maxTokenLength = isAnalyzed ? String(options.maxTokenLength) : ignored;
  json.raw('{"k1":');
  writeFloat(json, options.k1);
  json.raw(',"b":');
  writeFloat(json, options.b);
  json.raw(',"k3":');
  writeFloat(json, options.k3);
  if (language !== undefined) json.raw(`,"language":${language}`);
  json.raw(
    `,"stemming":${options.stemming},"remove_stopwords":${options.removeStopwords}` +
      `,"ascii_folding":${options.asciiFolding},"case_sensitive":${options.caseSensitive}`,
  );
  if (maxTokenLength !== undefined) json.raw(`,"max_token_length":${maxTokenLength}`);
  json.raw(`,"tokenizer":"${options.tokenizer}"}`);
}
