/**
 * docs/compatibility.md: each part of the turbopuffer API and how far Trawl has it. The parts come
 * of the tables of routes and of the reference, so that none is left out; what differs is said
 * here.
 */

import { SCHEMAS } from "../../src/reference/openapi-document.ts";
import { listRoutes } from "../../src/reference/route-list.ts";
import type { JsonSchema } from "../../src/reference/schemas/json-schema.ts";

/** What a part does otherwise; parts that are not here do as the API says. */
interface Difference {
  /** `kept`: it is accepted and shown, and changes nothing else. */
  readonly state: "differs" | "kept";
  readonly how: string;
}

type Differences = Readonly<Record<string, Difference>>;

const OPERATIONS: Differences = {
  write: differs("bodies reach 512 MiB; a schema alone for an absent namespace is 404"),
  query: differs("times and counts in `performance` are those of this server, at least 1 ms"),
  explain: differs("always has a plan; `analyze` is Trawl's own"),
  recall: differs("samples up to 10,000 vectors; also answers `GET`"),
  list_namespaces: differs("a malformed cursor is a 400"),
  get_metadata: differs(
    "`approx_row_count` and `approx_logical_bytes` are exact at once; `index.unindexed_rows` is " +
      "told in both states",
  ),
  update_metadata: differs("also at `/v2`; pinning is kept and shown, and changes nothing else"),
  poll_operation: differs("operations do not survive a restart"),
  delete_namespace: differs("the older path `/v1` is served, too"),
  export_documents: differs("deprecated there and here; a malformed cursor is a 400"),
};

const WRITE_FIELDS: Differences = {
  copy_from_namespace: differs(
    "`source_api_key` is not looked at: the request's own key needs `read` there; " +
      "`source_region` must be this server's",
  ),
  encryption: differs("keys come from the server's own files, not from a cloud's key service"),
  sharding: kept("one server holds each namespace whole"),
  distance_metric: differs("`euclidean`, which the API's message lists, is refused"),
};

const QUERY_FIELDS: Differences = {
  limit: differs("without an `offset` it may be 10,000 itself"),
  consistency: differs("on a data directory `eventual` sees what `strong` does"),
  distance_metric: differs("deprecated; without vectors it has no effect"),
  rerank_by: differs("models are those of the server's settings; others are a 400 that lists them"),
  rank_by: differs("without it documents come in the order of `id`, with `filters` or without"),
};

const RANKINGS: Differences = {
  ANN: differs("cannot be part of another expression: join rankings by `rerank_by`"),
  kNN: differs("cannot be part of another expression: join rankings by `rerank_by`"),
  BM25: differs("counts live documents exactly"),
};

const FILTERS: Differences = {
  Regex: differs("no flags `R` and `-u`; the size of all patterns of a request is limited"),
};

const SCHEMA_OPTIONS: Differences = {
  embed: differs("models are those of the server's settings, or the offline ones"),
  filterable: differs("`true` for `bytes` and sparse vectors is accepted without effect"),
};

const TEXT_OPTIONS: Differences = {
  tokenizer: differs("`word_v3` and `word_v4` give the same tokens"),
  max_token_length: differs("counts characters"),
};

/** What of the public service is no part of Trawl. */
const ABSENT: readonly (readonly [what: string, instead: string])[] = [
  ["`POST /v1/namespaces/:namespace`, `/v1/vectors/…`", "the v2 paths; errors name them"],
  ["Regions and copies between them", "one server, or several over one bucket"],
  ["Cloud key services", "files with keys (`--encryption-keys`)"],
  ["Published rates of requests and writes", "what memory allows, and limits of keys"],
  ["Audit logs and address lists as services", "`--audit-log`, and a proxy in front"],
];

/** The whole page. */
export function compatibilityPage(): string {
  const routes = listRoutes().filter(({ path }) => /^\/v[12]\//.test(path));
  const own = listRoutes().filter(({ path }) => !/^\/v[12]\//.test(path));
  const names = [...new Set(routes.map(({ name }) => name))];
  const operations = names.map((name) => {
    const paths = routes
      .filter((route) => route.name === name)
      .map(({ method, path }) => `\`${method} ${path}\``);
    return row([paths.join("<br>"), ...cells(OPERATIONS[name])]);
  });
  return `${[
    HEAD,
    section("Operations", ["Request", "State", "What differs"], operations),
    section("Fields of writes", FIELDS, fieldRows(SCHEMAS.WriteRequest, WRITE_FIELDS)),
    section("Fields of queries", FIELDS, fieldRows(SCHEMAS.QueryRequest, QUERY_FIELDS)),
    section("Rankings", FIELDS, titleRows(rankingTitles(), RANKINGS)),
    section("Filters", FIELDS, titleRows(titlesOf(SCHEMAS.Filter), FILTERS)),
    section(
      "Options of attributes",
      FIELDS,
      fieldRows(optionsOf(SCHEMAS.AttributeDeclaration), SCHEMA_OPTIONS),
    ),
    section(
      "Options of full-text search",
      FIELDS,
      fieldRows(SCHEMAS.FullTextOptions, TEXT_OPTIONS),
    ),
    section(
      "What is not there",
      ["Of the service", "Here"],
      ABSENT.map((cellsOf) => row(cellsOf)),
    ),
    section(
      "What only Trawl has",
      ["Request", "For"],
      own.map(({ method, path, doc }) => row([`\`${method} ${path}\``, doc.summary])),
    ),
  ].join("\n\n")}\n`;
}

/** Names of parts that are said to differ and that the reference has not. */
export function unknownDifferences(): string[] {
  const known: readonly (readonly [Differences, readonly string[]])[] = [
    [OPERATIONS, listRoutes().map(({ name }) => name)],
    [WRITE_FIELDS, namesOf(SCHEMAS.WriteRequest)],
    [QUERY_FIELDS, namesOf(SCHEMAS.QueryRequest)],
    [RANKINGS, rankingTitles()],
    [FILTERS, titlesOf(SCHEMAS.Filter)],
    [SCHEMA_OPTIONS, namesOf(optionsOf(SCHEMAS.AttributeDeclaration))],
    [TEXT_OPTIONS, namesOf(SCHEMAS.FullTextOptions)],
  ];
  return known.flatMap(([differences, names]) =>
    Object.keys(differences).filter((name) => !names.includes(name)),
  );
}

const FIELDS = ["Name", "State", "What differs"];

const HEAD = [
  "# Compatibility",
  "",
  "Trawl answers the turbopuffer v2 HTTP API; it is not affiliated with its makers. This page has",
  "each part of that API and how far Trawl has it. It is made of the tables of routes and of what",
  "makes `/openapi.json`; [the notes on the API](api-notes.md) say more of what differs, and why.",
  "The end-to-end tests speak through the official client for TypeScript, unmodified.",
  "",
  "`yes`: as the API says. `differs`: it is there, with the difference named. `kept`: it is",
  "accepted and shown, and changes nothing else.",
].join("\n");

function section(title: string, heads: readonly string[], rows: readonly string[]): string {
  const line = heads.map(() => "---");
  return [`## ${title}`, "", row(heads), row(line), ...rows].join("\n");
}

function row(texts: readonly string[]): string {
  return `| ${texts.join(" | ")} |`;
}

function cells(difference: Difference | undefined): [string, string] {
  return difference === undefined ? ["yes", ""] : [difference.state, difference.how];
}

function fieldRows(schema: JsonSchema, differences: Differences): string[] {
  return namesOf(schema).map((name) => row([`\`${name}\``, ...cells(differences[name])]));
}

function titleRows(titles: readonly string[], differences: Differences): string[] {
  return titles.map((title) => row([`\`${title}\``, ...cells(differences[title])]));
}

function namesOf({ properties = {} }: JsonSchema): string[] {
  return Object.keys(properties as object);
}

/** Names of the forms that a schema has; forms of several shapes come once. */
function titlesOf({ anyOf = [] }: JsonSchema): string[] {
  const titles = (anyOf as readonly JsonSchema[]).map(({ title }) => title);
  const named = titles.filter((title) => typeof title === "string");
  return [...new Set(named.map((title) => title.split(" of ")[0]))];
}

function rankingTitles(): string[] {
  return [...new Set([...titlesOf(SCHEMAS.RankBy), "Order", ...titlesOf(SCHEMAS.ScoreExpression)])];
}

function optionsOf({ anyOf }: JsonSchema): JsonSchema {
  const choices = anyOf as readonly JsonSchema[];
  const objects = choices.filter(({ properties }) => properties !== undefined);
  const properties = Object.assign({}, ...objects.map((choice) => choice.properties));
  return { properties };
}

function differs(how: string): Difference {
  return { state: "differs", how };
}

function kept(how: string): Difference {
  return { state: "kept", how };
}
