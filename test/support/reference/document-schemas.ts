/** The reference as something to check requests and answers with. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openapiDocument } from "../../../src/reference/openapi-document.ts";
import type { JsonSchema } from "../../../src/reference/schemas/json-schema.ts";

/** The document, as programs see it. */
export const DOCUMENT = openapiDocument("0.0.0-test") as unknown as OpenapiDocument;

/** As far as tests look into it. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** One operation of the document. */
export interface OperationObject {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    }
  >
>;

const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  // Options at the end of a list may be left out.
  strictTuples: false,
  validateFormats: false,
});
ajv.addKeyword("components");
ajv.addSchema({ $id: "trawl:", components: DOCUMENT.components });
const COMPONENTS = new Map(
  Object.entries(DOCUMENT.components.schemas).map(([name, schema]) => [schema, name]),
);
const compiled = new Map<JsonSchema, ValidateFunction>();

/** What is wrong with a value; undefined if it is as the schema says. */
export function schemaFault(schema: JsonSchema, value: unknown): string | undefined {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = compile(schema);
    compiled.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { separator: "; " });
}

/** Components are compiled where others refer to them, so that each is compiled once. */
function compile(schema: JsonSchema): ValidateFunction {
  const copy = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"trawl:#/'));
  const name = COMPONENTS.get(schema);
  if (name === undefined) return ajv.compile(copy);
  void ajv.validateSchema(copy, true); // Throws.
  const found = ajv.getSchema(`trawl:#/components/schemas/${name}`);
  if (found === undefined) throw new Error(`the document has no component ${name}`);
  return found;
}

/** The schema itself, or the component that it names. */
export function resolved(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== "string") return schema;
  const name = schema.$ref.replace("#/components/schemas/", "");
  const found = DOCUMENT.components.schemas[name];
  if (found === undefined) throw new Error(`the document has no component ${name}`);
  return resolved(found);
}

/** All schemas of which a value must meet any, nested choices too. */
export function branches(schema: JsonSchema): readonly JsonSchema[] {
  const own = resolved(schema);
  if (!Array.isArray(own.anyOf)) return [own];
  return (own.anyOf as JsonSchema[]).flatMap(branches);
}
