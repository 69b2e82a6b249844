/** What is said of each operation of the API's table; a missing one is an error of the compiler. */

import type { OperationName } from "../../api/engine.ts";
import { LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX } from "../../model/contract-limits.ts";
import { integer, type JsonSchemas, ref, text } from "../schemas/json-schema.ts";
import { BACKUP_DOCS } from "./backup-docs.ts";
import type { AnswerDoc, OperationDoc } from "./operation-doc.ts";

/** Beginnings of names of operations that are documented in a file of their own. */
type BackupOperation = keyof typeof BACKUP_DOCS;

const TOKEN_ANSWER: AnswerDoc = {
  description: "It takes longer, and runs on: ask for it at `location`.",
  content: { schema: { anyOf: [ref("OperationToken"), ref("Error")] } },
  headers: {
    "preference-applied": { const: "respond-async" },
    location: text("Where to ask, once a second or so."),
    "retry-after-ms": integer("Where an index is being built: when to try again."),
  },
};
const BUILDING: AnswerDoc = {
  description: "An index that the query needs is still being built: try again.",
  content: { schema: ref("Error") },
  headers: { "retry-after-ms": integer("When to try again, in milliseconds.") },
};
const CURSOR: JsonSchemas = { cursor: text("The `next_cursor` of the page before.") };

const WRITES: Readonly<Record<"write" | "start_copy" | "import", OperationDoc>> = {
  write: {
    tag: "Documents",
    summary: "Write documents",
    description:
      "Upserts, patches and deletes documents, by id or by filter, declares " +
      "attributes, copies or " +
      "branches a namespace. It is one step, and durable when it is answered.",
    body: { schema: ref("WriteRequest"), isRequired: true },
    answers: { 200: ok("WriteAnswer", "It is written."), 202: TOKEN_ANSWER },
    errors: [404, 409],
  },
  start_copy: {
    tag: "Operations",
    summary: "Start a copy",
    description:
      "Starts to copy a namespace and answers as soon as that runs; the token is asked for as an " +
      "operation.",
    body: { schema: ref("StartCopyRequest"), isRequired: true },
    answers: { 202: ok("OperationToken", "It runs.") },
    errors: [404, 409],
  },
  import: {
    tag: "Documents",
    summary: "Import lines of JSON",
    description:
      "A body of any length with one document in each line, committed in writes of " +
      "some MiB while " +
      "it arrives. Not part of the turbopuffer API. An error says up to which line all was " +
      "committed.",
    query: {
      schema: text('Attributes to declare, as JSON: `{"title": "string"}`.'),
      distance_metric: text("As in a write."),
    },
    body: { type: "application/x-ndjson", schema: { type: "string" }, isRequired: true },
    answers: { 200: ok("ImportAnswer", "All lines are committed.") },
    errors: [404, 409],
  },
};

const QUERIES: Readonly<Record<"query" | "explain" | "recall", OperationDoc>> = {
  query: {
    tag: "Queries",
    summary: "Query",
    description:
      "Ranks, filters, aggregates; several queries over one state at once, which may " +
      "be made into " +
      "one ranking.",
    body: { schema: ref("QueryRequest"), isRequired: true },
    answers: { 200: ok("QueryAnswer", "What was found."), 202: BUILDING },
  },
  explain: {
    tag: "Queries",
    summary: "Explain a query",
    description:
      "Shows how a query would be answered, and with `analyze` (not part of the turbopuffer API) " +
      "what that cost.",
    body: { schema: ref("ExplainRequest"), isRequired: true },
    answers: { 200: ok("ExplainAnswer", "The plan."), 202: BUILDING },
  },
  recall: {
    tag: "Queries",
    summary: "Measure recall",
    description: "Compares what the vector index finds with the exact answer.",
    body: { schema: ref("RecallRequest"), isRequired: false },
    answers: { 200: ok("RecallAnswer", "What was measured."), 202: TOKEN_ANSWER },
  },
};

type Named = Exclude<OperationName, keyof typeof WRITES | keyof typeof QUERIES | BackupOperation>;

const NAMESPACES: Readonly<Record<Named, OperationDoc>> = {
  list_namespaces: {
    tag: "Namespaces",
    summary: "List namespaces",
    description: "Names of those that the key may see, a page at a time.",
    query: {
      ...CURSOR,
      prefix: text("Only names that begin so."),
      page_size: integer("Names of a page.", {
        minimum: 1,
        maximum: LIST_PAGE_SIZE_MAX,
        default: LIST_PAGE_SIZE_DEFAULT,
      }),
    },
    answers: { 200: ok("NamespaceList", "A page.") },
  },
  get_metadata: {
    tag: "Namespaces",
    summary: "Describe a namespace",
    description: "Its schema, its size, its times, and how far its indexes are.",
    answers: { 200: ok("Metadata", "What is known.") },
  },
  update_metadata: {
    tag: "Namespaces",
    summary: "Pin, or make read-only",
    description: "Changes what is not about documents. Answers with all metadata.",
    body: { schema: ref("MetadataUpdate"), isRequired: true },
    answers: { 200: ok("Metadata", "What is known now.") },
  },
  get_schema: {
    tag: "Namespaces",
    summary: "Read the schema",
    description: "The types and options of all attributes.",
    answers: { 200: ok("SchemaAnswer", "The schema.") },
  },
  update_schema: {
    tag: "Namespaces",
    summary: "Change the schema",
    description:
      "Declares attributes, and changes options; the body is the map of attributes itself. Types " +
      "cannot be changed.",
    body: { schema: ref("Schema"), isRequired: true },
    answers: { 200: ok("SchemaAnswer", "The whole schema."), 202: BUILDING },
  },
  delete_namespace: {
    tag: "Namespaces",
    summary: "Delete a namespace",
    description: "Deletes it with all its documents. Its name can be used anew at once.",
    answers: { 200: ok("Ok", "It is deleted.") },
  },
  warm_cache_hint: {
    tag: "Namespaces",
    summary: "Warm the cache",
    description: "Says that queries will follow: what they need is read ahead.",
    answers: { 202: ok("WarmAnswer", "The hint is taken.") },
  },
  warm_cache: {
    tag: "Namespaces",
    summary: "Warm the cache and wait",
    description: "Answers when what queries need is in memory.",
    answers: { 200: ok("Ok", "It is in memory.") },
  },
  purge_cache: {
    tag: "Namespaces",
    summary: "Purge the cache",
    description: "Answers when nothing of the namespace's segments is in memory.",
    answers: { 200: ok("Ok", "It is not in memory.") },
  },
  poll_operation: {
    tag: "Operations",
    summary: "Ask for an operation",
    description: "How far a copy or a measurement is that runs on; results are kept for an hour.",
    answers: { 200: ok("OperationAnswer", "How far it is.") },
  },
  export_documents: {
    tag: "Documents",
    summary: "Export by column",
    description: "Page through a query by `id` instead.",
    isDeprecated: true,
    query: CURSOR,
    answers: { 200: ok("ExportAnswer", "A page.") },
  },
  describe_namespace: {
    tag: "Namespaces",
    summary: "Describe in headers",
    description: "Read the metadata instead.",
    isDeprecated: true,
    answers: {
      200: {
        description: "It is there.",
        headers: {
          "x-turbopuffer-dimensions": integer("Dimensions of the attribute `vector`."),
          "x-turbopuffer-approx-num-vectors": integer("Documents."),
          "x-turbopuffer-created-at": text("When it was created."),
        },
      },
    },
  },
};

/** See the file's head. */
export const OPERATION_DOCS: Readonly<Record<OperationName, OperationDoc>> = {
  ...WRITES,
  ...QUERIES,
  ...NAMESPACES,
  ...BACKUP_DOCS,
};

function ok(name: string, description: string): AnswerDoc {
  return { description, content: { schema: ref(name) } };
}
