import { clipName } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import { attributeSchema, unknownAttribute } from "../../model/attribute-schema.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { ModelRerank } from "../../model/query.ts";
import type { Schema } from "../../model/schema.ts";

/** Checks a reranking against the schema and the server's models; throws `invalid`. */
export function checkRerank(
  { model, attribute }: ModelRerank,
  schema: Schema,
  models: readonly string[],
): void {
  if (models.length === 0) {
    throw invalid(
      "💔 reranking by a model is not configured on this server: start it with `--reranker http`, " +
        "the URL of a service and the names of its models",
    );
  }
  if (!models.includes(model)) {
    const similar = similarName(clipName(model), models);
    const hint = similar === undefined ? "" : `; the nearest is "${similar}"`;
    throw invalid(
      `💔 rerank_by.model "${clipName(model)}" is none that this server has: ` +
        `${models.join(", ")}${hint}`,
    );
  }
  const found = attributeSchema(attribute, schema)?.type;
  if (found === undefined) throw unknownAttribute(attribute, schema, "invalid rerank_by.attribute");
  if (found.kind === "scalar" && found.of === "string" && attribute !== "id") return;
  throw invalid(
    `💔 rerank_by.attribute "${clipName(attribute)}" must be of type string, ` +
      `but is ${attribute === "id" ? "the id" : formatAttributeType(found)}`,
  );
}
