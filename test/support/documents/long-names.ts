/** Requests that name something with a text of any length, and what answers them. */

/** One request. `$NAME` in `body` stands for the long name. */
export interface LongNameRequest {
  readonly title: string;
  /** The server's limit of the body differs. */
  readonly kind: "write" | "query" | "schema";
  readonly body: string;
  readonly status: number;
  /** Part of the error's text. */
  readonly text: string;
}

const TOO_LONG = "is too long, limit is 128 characters";
const RESULT_TOO_LONG = "the name of a result has at most 512 characters";
const NOT_FOUND = "not found in schema";

/** Requests to a namespace that has one document, `{"id": 1, "n": 1}`, all of them refused. */
export const LONG_NAME_REQUESTS: readonly LongNameRequest[] = [
  write("upsert_rows", '{"upsert_rows":[{"id":2,"$NAME":1}]}', 400, TOO_LONG),
  write("upsert_columns", '{"upsert_columns":{"id":[2],"$NAME":[1]}}', 400, TOO_LONG),
  write("patch_rows", '{"patch_rows":[{"id":1,"$NAME":1}]}', 400, TOO_LONG),
  write("patch_columns", '{"patch_columns":{"id":[1],"$NAME":[1]}}', 400, TOO_LONG),
  write(
    "patch_by_filter",
    '{"patch_by_filter":{"filters":["n","Eq",1],"patch":{"$NAME":1}}}',
    400,
    TOO_LONG,
  ),
  write("schema", '{"upsert_rows":[{"id":2}],"schema":{"$NAME":"int"}}', 400, TOO_LONG),
  write("shape of schema", '{"schema":{"$NAME":1}}', 422, "AttributeSchemaInput"),
  write(
    "embed",
    '{"schema":{"t":{"type":"string","embed":{"model":"m","dims":2,"attribute":"$NAME"}}}}',
    400,
    TOO_LONG,
  ),
  write(
    "model",
    '{"schema":{"t":{"type":"string","embed":"$NAME"}}}',
    400,
    "the name of a model has at most 256 characters",
  ),
  write("id type", '{"schema":{"id":"$NAME"}}', 400, "is not a valid ID type"),
  write("type", '{"schema":{"t":"$NAME"}}', 422, "unknown type"),
  write("id", '{"upsert_rows":[{"id":"$NAME"}]}', 400, "you sent string"),
  write("deletes", '{"deletes":["$NAME"]}', 400, "you sent string"),
  write("metric", '{"distance_metric":"$NAME"}', 422, "unknown variant"),
  write("delete_by_filter", '{"delete_by_filter":["$NAME","Eq",1]}', 400, NOT_FOUND),
  write(
    "upsert_condition",
    '{"upsert_rows":[{"id":1}],"upsert_condition":["$NAME","Eq",1]}',
    400,
    NOT_FOUND,
  ),
  write("copy", '{"copy_from_namespace":"$NAME"}', 400, "limit is currently 128 characters"),
  write(
    "region",
    '{"copy_from_namespace":{"source_namespace":"s","source_region":"$NAME"}}',
    400,
    "this server knows no region",
  ),
  write("branch", '{"branch_from_namespace":"$NAME"}', 400, "limit is currently 128 characters"),
  write("unknown member", '{"$NAME":1}', 400, "no field that is known"),
  write("syntax", '{"upsert_rows":[{"id":2,"n":{"$NAME":x}}]}', 400, "expected a value"),
  { ...write("update_schema", '{"$NAME":"int"}', 400, TOO_LONG), kind: "schema" },
  query("filter", '{"filters":["$NAME","Eq",1],"limit":1}', 400, NOT_FOUND),
  query("filter by null", '{"filters":["$NAME","Contains",null],"limit":1}', 400, "accept null"),
  query("operator", '{"filters":["n","$NAME",1],"limit":1}', 422, "unknown operator"),
  query("order", '{"rank_by":["$NAME","asc"],"limit":1}', 400, NOT_FOUND),
  query("BM25", '{"rank_by":["$NAME","BM25","x"],"limit":1}', 400, NOT_FOUND),
  query("ANN", '{"rank_by":["$NAME","ANN",[1]],"limit":1}', 400, NOT_FOUND),
  query("Embed", '{"rank_by":["$NAME","ANN",["Embed","x"]],"limit":1}', 400, "Embed needs"),
  query("include_attributes", '{"limit":1,"include_attributes":["$NAME"]}', 400, NOT_FOUND),
  query(
    "limit.per",
    '{"limit":{"total":1,"per":{"attributes":["$NAME"],"limit":1}}}',
    400,
    "must be part of `include_attributes`",
  ),
  query(
    "compute_attributes",
    '{"limit":1,"compute_attributes":{"a":["$NAME","BM25","x"]}}',
    400,
    NOT_FOUND,
  ),
  query(
    "Highlight",
    '{"limit":1,"compute_attributes":{"h":["Highlight","$NAME"]}}',
    400,
    NOT_FOUND,
  ),
  query("Sum", '{"aggregate_by":{"s":["Sum","$NAME"]}}', 400, NOT_FOUND),
  query("aggregate_by", '{"aggregate_by":{"$NAME":["Count"]}}', 400, RESULT_TOO_LONG),
  query(
    "computed",
    '{"limit":1,"compute_attributes":{"$NAME":["n","Gt",0]}}',
    400,
    RESULT_TOO_LONG,
  ),
  query(
    "ForEachUnique",
    '{"aggregate_by":{"c":["Count"]},"group_by":[{"$NAME":["ForEachUnique","n"]}]}',
    400,
    RESULT_TOO_LONG,
  ),
  query("group_by", '{"aggregate_by":{"c":["Count"]},"group_by":["$NAME"]}', 400, NOT_FOUND),
];

function write(title: string, body: string, status: number, text: string): LongNameRequest {
  return { title, kind: "write", body, status, text };
}

function query(title: string, body: string, status: number, text: string): LongNameRequest {
  return { title, kind: "query", body, status, text };
}

/** The path of a request to `namespace`. */
export function pathOf({ kind }: LongNameRequest, namespace: string): string {
  return PATHS[kind].replace("$NAMESPACE", namespace);
}

const PATHS = {
  write: "/v2/namespaces/$NAMESPACE",
  query: "/v2/namespaces/$NAMESPACE/query",
  schema: "/v1/namespaces/$NAMESPACE/schema",
} as const;
