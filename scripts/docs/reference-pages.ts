/** The pages of the reference, made of what makes /openapi.json: one for each operation. */

import { errorStatuses, errorText } from "../../src/reference/error-docs.ts";
import { type ApiExample, EXAMPLES } from "../../src/reference/examples/examples.ts";
import { SCHEMAS } from "../../src/reference/openapi-document.ts";
import { TAGS } from "../../src/reference/operations/operation-doc.ts";
import { type ListedRoute, listRoutes } from "../../src/reference/route-list.ts";
import type { JsonSchema } from "../../src/reference/schemas/json-schema.ts";
import {
  codeHtml,
  type DocPage,
  escapeHtml,
  type PageGroup,
  type PageSection,
} from "./doc-page.ts";
import { exampleCode, jsonText } from "./example-code.ts";
import { hrefOf } from "./render-guide.ts";
import { inlineCode, SchemaHtml, TYPES_PAGE } from "./schema-html.ts";

/** Where examples send their requests. */
const EXAMPLE_URL = "http://127.0.0.1:8484";

/** The pages, and their groups. */
export function referencePages(site: string): { pages: DocPage[]; groups: PageGroup[] } {
  const routes = listRoutes();
  const schemas = new SchemaHtml(site);
  const operations = routes.filter(({ id, name }) => id === name);
  const pages = operations.map((route) => {
    const aliases = routes.filter(({ name }) => name === route.name);
    return operationPage(route, { aliases, schemas });
  });
  const groups = Object.keys(TAGS).map((tag) => ({
    title: `API: ${tag}`,
    pages: operations.filter(({ doc }) => doc.tag === tag).map(({ id }) => addressOf(id)),
  }));
  const overview = { title: "API", pages: ["reference/index", TYPES_PAGE] };
  return {
    pages: [overviewPage(operations, site), typesPage(schemas), ...pages],
    groups: [overview, ...groups],
  };
}

interface OperationScope {
  /** All routes of the operation, this one first. */
  readonly aliases: readonly ListedRoute[];
  readonly schemas: SchemaHtml;
}

function addressOf(id: string): string {
  return `reference/${id.replaceAll("_", "-")}`;
}

/** Parts of a page with headings, and what search finds of them. */
class PageParts {
  readonly sections: PageSection[] = [];
  html = "";

  add(heading: string, html: string, words = ""): void {
    const anchor = heading.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    this.html += `<h2 id="${anchor}">${escapeHtml(heading)}</h2>\n${html}\n`;
    this.sections.push({ heading, anchor, text: words });
  }
}

function operationPage(route: ListedRoute, { aliases, schemas }: OperationScope): DocPage {
  const { doc } = route;
  const parts = new PageParts();
  const addresses = aliases.map(
    ({ method, path }) =>
      `<p class="address"><span class="method">${method}</span> ${escapeHtml(path)}</p>`,
  );
  const examples = EXAMPLES.filter(({ operation }) => operation === route.name);
  if (examples.length > 0) {
    parts.add("Examples", examples.map((example) => exampleHtml(example, route)).join(""));
  }
  if (doc.query !== undefined) {
    const fields = { properties: doc.query };
    parts.add("Query string", schemas.body(fields), namesIn(fields));
  }
  if (doc.body !== undefined) {
    const schema = componentOf(doc.body.schema);
    const kind = `<p>${schemas.kind(doc.body.schema)}: ${inlineCode(saidOf(schema))}</p>`;
    parts.add("Body", kind + schemas.body(schema), namesIn(schema));
  }
  for (const [status, { description, content, headers = {} }] of Object.entries(doc.answers)) {
    const schema = content && componentOf(content.schema);
    const kind = content === undefined ? "" : `<p>${schemas.kind(content.schema)}</p>`;
    const named = Object.keys(headers).length === 0 ? "" : headersHtml(headers, schemas);
    const body = schema === undefined ? "" : schemas.body(schema);
    parts.add(`Answer ${status}`, `<p>${inlineCode(description)}</p>${kind}${named}${body}`);
  }
  parts.add("Errors", errorsHtml(route));
  const old = doc.isDeprecated === true ? "<p><strong>Deprecated.</strong></p>" : "";
  return {
    address: addressOf(route.id),
    title: doc.summary,
    html:
      `<h1 id="top">${escapeHtml(doc.summary)}</h1>\n${addresses.join("\n")}\n${old}` +
      `<p>${inlineCode(doc.description)}</p>\n${actionsHtml(route)}\n${parts.html}`,
    sections: [
      {
        heading: doc.summary,
        anchor: "",
        text: `${doc.description} ${aliases.map(({ path }) => path).join(" ")}`,
      },
      ...parts.sections,
    ],
  };
}

function actionsHtml({ actions }: ListedRoute): string {
  if (actions === undefined) return "<p>Needs no key.</p>";
  if (actions.length === 0) return "<p>Needs a key, whatever it may do.</p>";
  const names = actions.map((action) => `<code>${action}</code>`).join(" or ");
  return `<p>Needs a key with the action ${names}, where the server has keys.</p>`;
}

function exampleHtml(example: ApiExample, route: ListedRoute): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(example.path[name]),
  );
  const codes = exampleCode(example, { method: route.method, path }, EXAMPLE_URL);
  const sent = codes.map(({ language, code }) => codeHtml(code, language)).join("");
  const status = `<p>Answer: ${example.status}</p>`;
  const answer = example.answer === undefined ? "" : codeHtml(jsonText(example.answer, 0), "json");
  const isOpen = EXAMPLES.find(({ operation }) => operation === route.name) === example;
  return (
    `<details class="example"${isOpen ? " open" : ""}>` +
    `<summary>${escapeHtml(example.summary)}</summary>${sent}${status}${answer}</details>\n`
  );
}

function headersHtml(headers: Readonly<Record<string, JsonSchema>>, schemas: SchemaHtml): string {
  return `<h3>Headers</h3>${schemas.body({ properties: headers })}`;
}

function errorsHtml({ doc, actions, parameters }: ListedRoute): string {
  const statuses = errorStatuses({ doc, isGuarded: actions !== undefined, parameters });
  if (statuses.length === 0) return "<p>None of its own.</p>";
  const rows = statuses.map(
    (status) => `<dt><code>${status}</code></dt><dd>${inlineCode(errorText(status))}</dd>`,
  );
  return `<dl class="fields">${rows.join("")}</dl>`;
}

function overviewPage(operations: readonly ListedRoute[], site: string): DocPage {
  const parts = new PageParts();
  for (const [tag, description] of Object.entries(TAGS)) {
    const items = operations
      .filter(({ doc }) => doc.tag === tag)
      .map(({ id, doc, method, path }) => {
        const link = `<a href="${hrefOf(site, addressOf(id))}">${escapeHtml(doc.summary)}</a>`;
        return `<li>${link} <span class="kind">${method} ${escapeHtml(path)}</span></li>`;
      });
    parts.add(tag, `<p>${inlineCode(description)}</p><ul>${items.join("")}</ul>`);
  }
  return {
    address: "reference/index",
    title: "API reference",
    html:
      '<h1 id="top">API reference</h1>\n<p>All that the server answers. The same as a document ' +
      'for programs, in OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a>.</p>\n' +
      parts.html,
    sections: [
      { heading: "API reference", anchor: "", text: "OpenAPI operations" },
      ...parts.sections,
    ],
  };
}

function typesPage(schemas: SchemaHtml): DocPage {
  const parts = new PageParts();
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const own = schema.$ref === undefined && schema.prefixItems === undefined;
    const kind = own && schema.properties !== undefined ? "" : `<p>${schemas.kind(schema)}</p>`;
    const said = `<p>${inlineCode(saidOf(schema))}</p>`;
    parts.add(name, said + kind + schemas.body(schema), `${saidOf(schema)} ${namesIn(schema)}`);
  }
  return {
    address: TYPES_PAGE,
    title: "Types",
    html:
      '<h1 id="top">Types</h1>\n<p>What bodies are made of. In requests every field that is not ' +
      "required may be null, which means that it is absent.</p>\n" +
      parts.html,
    sections: [{ heading: "Types", anchor: "", text: "" }, ...parts.sections],
  };
}

function componentOf(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === "string" ? SCHEMAS[$ref.split("/").at(-1) ?? ""] : schema;
}

function saidOf({ description = "" }: JsonSchema): string {
  return String(description);
}

/** Names of fields, for search. */
function namesIn(schema: JsonSchema): string {
  const { properties = {}, anyOf = [] } = schema;
  const inner = (anyOf as readonly JsonSchema[]).map(
    (choice) => `${choice.title ?? ""} ${namesIn(choice)}`,
  );
  return [...Object.keys(properties as object), ...inner].join(" ");
}
