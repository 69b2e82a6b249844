/** Schemas of the reference as lists of fields. */

import type { JsonSchema } from "../../src/reference/schemas/json-schema.ts";
import { escapeHtml } from "./doc-page.ts";
import { hrefOf } from "./render-guide.ts";

/** The page of all components. */
export const TYPES_PAGE = "reference/types";

/** What a component is named by, as a link to it. */
export function typeLink(site: string, name: string): string {
  return `<a href="${hrefOf(site, TYPES_PAGE, name.toLowerCase())}">${name}</a>`;
}

/** Turns schemas into HTML. */
export class SchemaHtml {
  readonly #site: string;

  constructor(site: string) {
    this.#site = site;
  }

  /** All that a schema says: its description is left to the caller. */
  body(schema: JsonSchema): string {
    const { properties, anyOf, prefixItems, items, additionalProperties } = schema;
    if (properties !== undefined) return this.#fields(schema);
    if (Array.isArray(anyOf)) return this.#choices(anyOf);
    if (Array.isArray(prefixItems)) return "";
    if (isSchema(items)) return this.#inner(items);
    if (isSchema(additionalProperties)) return this.#inner(additionalProperties);
    return "";
  }

  /** What kind of value it is, in a line. */
  kind(schema: JsonSchema): string {
    const { $ref, anyOf, type, items, prefixItems, additionalProperties } = schema;
    if (typeof $ref === "string") return typeLink(this.#site, $ref.split("/").at(-1) ?? "");
    if ("const" in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
    if (Array.isArray(schema.enum)) return shownWords(schema.enum);
    if (Array.isArray(prefixItems)) {
      return `[${prefixItems.map((element) => this.kind(element)).join(", ")}]`;
    }
    if (Array.isArray(anyOf)) {
      return [...new Set(anyOf.map((choice) => this.kind(choice)))].join(" or ");
    }
    if (isSchema(items)) return `list of ${this.kind(items)}${orNull(type)}`;
    if (isSchema(additionalProperties)) return `map to ${this.kind(additionalProperties)}`;
    const names = Array.isArray(type) ? type : [type ?? "any value"];
    return names.join(" or ");
  }

  #fields({ properties, required = [] }: JsonSchema): string {
    const needed = required as readonly string[];
    const rows = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
      ([name, schema]) => this.#field(name, schema, needed.includes(name)),
    );
    return `<dl class="fields">${rows.join("")}</dl>`;
  }

  #field(name: string, schema: JsonSchema, isNeeded: boolean): string {
    const shown = withoutNull(schema);
    const needed = isNeeded ? ' <span class="needed">required</span>' : "";
    const old = schema.deprecated === true ? ' <span class="kind">deprecated</span>' : "";
    const kind = `<span class="kind">${this.kind(shown)}</span>`;
    const more = [inlineCode(String(schema.description ?? "")), boundsText(schema)];
    const inner = this.body(shown);
    return (
      `<dt><code>${escapeHtml(name)}</code> ${kind}${needed}${old}</dt>` +
      `<dd>${more.filter((text) => text !== "").join(" ")}${inner}</dd>`
    );
  }

  #choices(choices: readonly JsonSchema[]): string {
    const shown = choices.filter((choice) => choice.type !== "null");
    const inner = shown.map((choice) => this.#choice(choice));
    if (shown.length === 1) return this.body(shown[0]);
    return inner.every((text) => text === "") ? "" : `<ul>${inner.join("")}</ul>`;
  }

  #choice(choice: JsonSchema): string {
    const { title, description = "" } = choice;
    const name = typeof title === "string" ? `<strong>${escapeHtml(title)}</strong> ` : "";
    const what = inlineCode(String(description));
    return `<li>${name}${this.kind(choice)} ${what} ${boundsText(choice)}${this.body(choice)}</li>`;
  }

  #inner(schema: JsonSchema): string {
    return "$ref" in schema ? "" : this.body(schema);
  }
}

/** Text with `code` in it. */
export function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Null is an absent field everywhere, which is said once. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, type, enum: words } = schema;
  if (Array.isArray(anyOf)) {
    const rest = anyOf.filter((choice: JsonSchema) => choice.type !== "null");
    return rest.length === 1
      ? { ...schema, anyOf: undefined, ...rest[0] }
      : { ...schema, anyOf: rest };
  }
  const kinds = Array.isArray(type) ? type.filter((name) => name !== "null") : type;
  return {
    ...schema,
    type: Array.isArray(kinds) && kinds.length === 1 ? kinds[0] : kinds,
    ...(Array.isArray(words) && { enum: words.filter((word) => word !== null) }),
  };
}

/** Limits and defaults, by the keywords that have them. */
const BOUNDS: Readonly<Record<string, string>> = {
  default: "default",
  minimum: "at least",
  exclusiveMinimum: "above",
  maximum: "at most",
  maxLength: "at most so many characters:",
  minItems: "at least so many:",
  maxItems: "at most so many:",
  maxProperties: "at most so many:",
  pattern: "of the form",
};

function boundsText(schema: JsonSchema): string {
  if (schema.prefixItems !== undefined) return "";
  const bounds = Object.entries(BOUNDS)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, words]) => {
      const value = schema[keyword];
      const shown = typeof value === "number" ? value.toLocaleString("en") : JSON.stringify(value);
      return `${words} <code>${escapeHtml(shown)}</code>`;
    });
  return bounds.length === 0 ? "" : `<span class="bounds">(${bounds.join(", ")})</span>`;
}

function shownWords(words: readonly unknown[]): string {
  return words.map((word) => `<code>${escapeHtml(JSON.stringify(word))}</code>`).join(" ");
}

function orNull(type: unknown): string {
  return Array.isArray(type) && type.includes("null") ? " or null" : "";
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
