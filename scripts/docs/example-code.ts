/** Requests of examples as people would send them: by curl, and by the official clients. */

import type { ApiExample } from "../../src/reference/examples/examples.ts";

/** One way to send a request. */
export interface ExampleCode {
  readonly language: "sh" | "ts" | "python";
  readonly code: string;
}

/** Calls of the official clients by operation; the body is their argument. */
const CALLS: Readonly<Record<string, readonly [ts: string, python: string]>> = {
  write: ["write", "write"],
  query: ["query", "query"],
  explain: ["explainQuery", "explain_query"],
  recall: ["recall", "recall"],
  get_metadata: ["metadata", "metadata"],
  update_metadata: ["updateMetadata", "update_metadata"],
  get_schema: ["schema", "schema"],
  update_schema: ["updateSchema", "update_schema"],
  warm_cache_hint: ["hintCacheWarm", "hint_cache_warm"],
  delete_namespace: ["deleteAll", "delete_all"],
};
/** Calls of which the body is a member. */
const WRAPPED: Readonly<Record<string, string>> = { update_schema: "schema" };
const LINE_CHARS_MAX = 88;

/** All ways to send an example; `url` is the server's address. */
export function exampleCode(
  example: ApiExample,
  { method, path }: { readonly method: string; readonly path: string },
  url: string,
): ExampleCode[] {
  const search = new URLSearchParams(example.query ?? {}).toString();
  const address = url + path + (search && `?${search}`);
  const curl: ExampleCode = { language: "sh", code: curlCode(example, method, address) };
  const { operation, body, query } = example;
  if (operation === "list_namespaces") return [curl, ...listCode(query ?? {})];
  const calls = CALLS[operation];
  if (calls === undefined) return [curl];
  const isMulti = operation === "query" && Object.hasOwn(body as object, "queries");
  const wrapped = WRAPPED[operation];
  const sent = wrapped === undefined ? body : { [wrapped]: body };
  const [ts, python] = isMulti ? ["multiQuery", "multi_query"] : calls;
  const namespace = JSON.stringify(example.path.namespace);
  return [
    curl,
    {
      language: "ts",
      code:
        `const namespace = client.namespace(${namespace});\n` +
        `const answer = await namespace.${ts}(${sent === undefined ? "" : literal(sent, TS, 0)});`,
    },
    {
      language: "python",
      code:
        `namespace = client.namespace(${namespace})\n` +
        `answer = namespace.${python}(${sent === undefined ? "" : keywords(sent as object)})`,
    },
  ];
}

function listCode(query: Readonly<Record<string, string>>): ExampleCode[] {
  const asked = Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, name === "page_size" ? Number(text) : text]),
  );
  return [
    { language: "ts", code: `const page = await client.namespaces(${literal(asked, TS, 0)});` },
    { language: "python", code: `page = client.namespaces(${keywords(asked)})` },
  ];
}

function curlCode({ body, headers = {} }: ApiExample, method: string, address: string): string {
  const lines = [`curl '${address}'`, "-H 'authorization: Bearer KEY'"];
  const isPlain = method === "GET" || (method === "POST" && body !== undefined);
  if (method === "HEAD") lines[0] = `curl --head '${address}'`;
  else if (!isPlain) lines[0] = `curl -X ${method} '${address}'`;
  const type = headers["content-type"] ?? "application/json";
  if (body !== undefined) {
    lines.push(`-H 'content-type: ${type}'`);
    const text = typeof body === "string" ? body : jsonText(body, 0);
    lines.push(`--data-binary '${text.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}

/** JSON whose short lists and objects stand in one line. */
export function jsonText(value: unknown, indent: number): string {
  return literal(value, JSON_STYLE, indent);
}

interface Style {
  readonly key: (name: string) => string;
  readonly scalar: (value: unknown) => string;
  readonly hasCommas: boolean;
}

const JSON_STYLE: Style = {
  key: (name) => `${JSON.stringify(name)}: `,
  scalar: (value) => JSON.stringify(value),
  hasCommas: false,
};
const TS: Style = {
  key: (name) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: `,
  scalar: (value) => JSON.stringify(value),
  hasCommas: true,
};
const PYTHON: Style = {
  key: (name) => `${JSON.stringify(name)}: `,
  scalar: (value) => {
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    return JSON.stringify(value);
  },
  hasCommas: true,
};

function keywords(sent: object): string {
  const members = Object.entries(sent);
  const parts = members.map(([name, value]) => `${name}=${literal(value, PYTHON, 4)}`);
  const line = parts.join(", ");
  if (line.length <= LINE_CHARS_MAX - 30 && !line.includes("\n")) return line;
  return `\n${parts.map((part) => `    ${part},\n`).join("")}`;
}

function literal(value: unknown, style: Style, indent: number): string {
  if (typeof value !== "object" || value === null) return style.scalar(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const parts = (inner: number) =>
    isList
      ? value.map((element) => literal(element, style, inner))
      : Object.entries(value).map(
          ([name, member]) => style.key(name) + literal(member, style, inner),
        );
  const padding = isList || style !== TS ? "" : " ";
  const line = `${open}${padding}${parts(indent).join(", ")}${padding}${close}`;
  if (indent + line.length <= LINE_CHARS_MAX && !line.includes("\n")) {
    return line === "{  }" ? "{}" : line;
  }
  const margin = " ".repeat(indent + 2);
  const lines = parts(indent + 2).map((part) => margin + part);
  const end = style.hasCommas ? "," : "";
  return `${open}\n${lines.join(",\n")}${end}\n${" ".repeat(indent)}${close}`;
}
