/** Random requests on few documents, so that they meet. */

import type { Random } from "../../src/base/random.ts";
import type { TypedDocument } from "../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../src/model/attribute-type.ts";
import type { Filter, FilterOperator } from "../../src/model/filter.ts";
import type { JsonValue } from "../../src/model/json-value.ts";
import type {
  AggregateQuery,
  DocumentQuery,
  Query,
  QueryRequest,
  RankBy,
} from "../../src/model/query.ts";
import type { AttributeSchema, Schema } from "../../src/model/schema.ts";
import type { AttributeValue } from "../../src/model/value.ts";
import { wireRequest, wireSchema, wireText } from "../support/documents/wire-text.ts";
import { type SimulatedWrite, writeBody } from "./namespace-state.ts";
import type { Meaning, Operation } from "./operation.ts";
import type { OperationKind, Swarm } from "./swarm.ts";

/** Ids from here on are deleted only to mark which request a batch is of. */
export const MARKS_FIRST = 1_000_000n;
/** Attributes that only a change of the schema declares begin with this, and its number follows. */
export const MARK_ATTRIBUTE = "x";

const scalar = (of: "int" | "uint" | "string"): AttributeSchema => ({
  type: { kind: "scalar", of },
  filterable: true,
});
const VECTOR: AttributeType = { kind: "vector", dimensions: 2, element: "f32" };

const ANN = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;

/** What all documents have; `w` is the number of the request that wrote the document. */
export const BASE_SCHEMA: Schema = {
  idType: "uint",
  distanceMetric: "euclidean_squared",
  attributes: new Map<string, AttributeSchema>([
    ["n", scalar("int")],
    ["b", scalar("string")],
    ["t", scalar("string")],
    ["v", { type: VECTOR, filterable: false, ann: ANN }],
    ["w", scalar("uint")],
  ]),
};

const PLAIN_SCHEMA = wireSchema(BASE_SCHEMA);
/** As requests declare it that may create the namespace. */
const FULL_SCHEMA = {
  ...PLAIN_SCHEMA,
  t: { type: "string", filterable: true, full_text_search: true },
};

const WORDS = ["red", "green", "blue", "fox", "dogs", "running"];
/** Stemmers that schema changes go through. */
const LANGUAGES = ["english", "german", "french"];

/** Draws one request; `number` marks it. */
export function drawOperation(random: Random, swarm: Swarm, number: number): Operation {
  const pick = <T>(values: readonly T[]) => values[random.below(values.length)];
  const kind = pick(swarm.operations);
  const name = pick(swarm.names);
  return operationOf({ random, swarm, number }, kind, name);
}

/** The same request once more, as of a client that has heard no answer. */
export function repeated(operation: Operation, number: number): Operation {
  const { meaning, name } = operation;
  if (meaning.kind === "schema") return sent({ number, name }, meaning);
  if (meaning.kind !== "write") {
    return { ...operation, number, answeredAt: undefined, answer: undefined };
  }
  const mark = (document: TypedDocument): TypedDocument => ({
    id: document.id,
    attributes: new Map([...document.attributes, ["w", BigInt(number)]]),
  });
  const { upserts, patches, deletes, patch } = meaning.write;
  const write: SimulatedWrite = {
    ...meaning.write,
    upserts: upserts.map(mark),
    patches: patches.map(mark),
    deletes: deletes.map((id) => (id >= MARKS_FIRST ? MARKS_FIRST + BigInt(number) : id)),
    ...(patch && { patch: new Map([...patch, ["w", BigInt(number)]]) }),
  };
  return sent({ number, name }, { kind: "write", write });
}

/** Everything that a namespace holds. */
export function readAll(number: number, name: string): Operation {
  return { ...sent({ number, name }, everything()), isLast: true };
}

/** Documents by their texts. */
export function searchAll(number: number, name: string): Operation {
  const expression = {
    kind: "bm25",
    attribute: "t",
    query: "fox runs",
    lastAsPrefix: true,
  } as const;
  const request = single(documentsQuery({ kind: "score", expression }));
  const meaning = { kind: "query", request, looksAtText: true, isEventual: false } as const;
  return { ...sent({ number, name }, meaning), isLast: true };
}

/** Turns the text's index on, or changes it. */
export function changeSchema(number: number, name: string): Operation {
  return sent({ number, name }, { kind: "schema", language: LANGUAGES[number % LANGUAGES.length] });
}

/** A request of the last check. */
export function lastOf(number: number, name: string, meaning: Meaning): Operation {
  return { ...sent({ number, name }, meaning), isLast: true };
}

interface Draw {
  readonly random: Random;
  readonly swarm: Swarm;
  readonly number: number;
}

function operationOf(draw: Draw, kind: OperationKind, name: string): Operation {
  const { random, swarm, number } = draw;
  const at = { number, name };
  switch (kind) {
    case "schema": {
      const language = LANGUAGES[random.below(LANGUAGES.length)];
      return sent(at, { kind: "schema", language });
    }
    case "copy":
    case "branch": {
      const source = swarm.names[random.below(swarm.names.length)];
      return sent(at, { kind: "copy", source, isBranch: kind === "branch" });
    }
    case "delete namespace":
    case "export":
    case "metadata":
    case "list":
      return sent(at, { kind });
    case "warm":
    case "purge": {
      const call = kind === "warm" ? "warm_cache" : "purge_cache";
      return { ...sent(at, { kind: "cache" }), call };
    }
    case "query":
      return sent(at, drawQuery(random));
    default:
      return sent(at, { kind: "write", write: drawWrite(draw, kind) });
  }
}

function sent({ number, name }: { number: number; name: string }, meaning: Meaning): Operation {
  const [call, body] = requestOf(meaning, number);
  return {
    number,
    name,
    meaning,
    call,
    body,
    server: undefined,
    sentAt: 0,
    sentAtMs: 0,
    answeredAt: undefined,
    answer: undefined,
    isLast: false,
  };
}

function requestOf(meaning: Meaning, number: number): [Operation["call"], string | undefined] {
  switch (meaning.kind) {
    case "write":
      return ["write", writeBody(meaning.write, BASE_SCHEMA)];
    case "schema": {
      const { language } = meaning;
      const full_text_search = { language, stemming: true };
      const t = { type: "string", filterable: true, full_text_search };
      return ["update_schema", wireText({ [`${MARK_ATTRIBUTE}${number}`]: "int", t })];
    }
    case "copy": {
      const member = meaning.isBranch ? "branch_from_namespace" : "copy_from_namespace";
      return ["write", wireText({ [member]: meaning.source })];
    }
    case "delete namespace":
      return ["delete_namespace", undefined];
    case "query": {
      const consistency = meaning.isEventual ? { consistency: { level: "eventual" } } : {};
      return ["query", wireText({ ...wireRequest(meaning.request), ...consistency })];
    }
    case "export":
      return ["export_documents", undefined];
    case "metadata":
      return ["get_metadata", undefined];
    case "list":
      return ["list_namespaces", undefined];
    case "cache":
      return ["warm_cache", undefined];
  }
}

function drawWrite(draw: Draw, kind: OperationKind): SimulatedWrite {
  const { random, swarm, number } = draw;
  const ids = new Set<bigint>();
  for (let i = random.below(4); i >= 0; i--) ids.add(BigInt(random.below(swarm.idCount)));
  const chosen = [...ids];
  const mark = MARKS_FIRST + BigInt(number);
  const none = { schema: PLAIN_SCHEMA, upserts: [], patches: [], deletes: [] };
  const documents = () => chosen.map((id) => drawDocument(draw, id));
  const patches = () => chosen.map((id) => ({ id, attributes: drawPatch(draw) }));
  switch (kind) {
    case "patch":
      return { ...none, patches: patches() };
    case "delete":
      return { ...none, deletes: [...chosen, mark] };
    case "create":
      return { ...none, upserts: documents(), upsertCondition: condition("id", "Eq", null) };
    case "patch by filter":
      return { ...none, patchFilter: drawCondition(random), patch: drawPatch(draw) };
    case "delete by filter":
      return { ...none, deleteFilter: drawCondition(random), deletes: [mark] };
    case "drop": {
      const [first, ...others] = documents();
      const attributes = new Map([...first.attributes, ["b", "anew"] as const]);
      return { ...none, drops: ["b"], upserts: [{ id: first.id, attributes }, ...others] };
    }
    case "conditional": {
      const filter = drawCondition(random);
      const which = random.below(3);
      if (which === 0) return { ...none, upserts: documents(), upsertCondition: filter };
      if (which === 1) return { ...none, patches: patches(), patchCondition: filter };
      // What a condition may leave of nothing but deletes would not tell whose it is.
      const beside = drawDocument(draw, BigInt(swarm.idCount));
      return { ...none, upserts: [beside], deletes: chosen, deleteCondition: filter };
    }
    default: {
      const deletes = random.below(3) === 0 ? chosen.splice(1, 1) : [];
      const schema = swarm.declaresText ? FULL_SCHEMA : PLAIN_SCHEMA;
      return { ...none, schema, upserts: documents(), deletes };
    }
  }
}

function drawDocument({ random, number }: Draw, id: bigint): TypedDocument {
  const words = Array.from({ length: random.below(5) }, () => WORDS[random.below(WORDS.length)]);
  const attributes = new Map<string, AttributeValue>([
    ["n", random.below(6) === 0 ? null : BigInt(random.below(6))],
    ["b", random.below(6) === 0 ? null : `b${random.below(3)}`],
    ["t", words.join(" ")],
    ["v", Float32Array.of(random.below(9), random.below(9))],
    ["w", BigInt(number)],
  ]);
  return { id, attributes };
}

function drawPatch({ random, number }: Draw): Map<string, AttributeValue> {
  const patch = new Map<string, AttributeValue>([["w", BigInt(number)]]);
  if (random.below(2) === 0) patch.set("n", BigInt(random.below(6)));
  if (random.below(2) === 0) patch.set("b", random.below(4) === 0 ? null : "patched");
  if (random.below(3) === 0) patch.set("t", WORDS[random.below(WORDS.length)]);
  return patch;
}

function condition(attribute: string, operator: FilterOperator, value: JsonValue): Filter {
  return { kind: "condition", attribute, operator, operand: { kind: "value", value } };
}

function drawCondition(random: Random): Filter {
  if (random.below(4) === 0) return condition("b", "Eq", `b${random.below(3)}`);
  const operator = (["Eq", "NotEq", "Lt", "Gte"] as const)[random.below(4)];
  return condition("n", operator, BigInt(random.below(6)));
}

function everything(): Meaning {
  const request = single(documentsQuery(BY_ID));
  return { kind: "query", request, looksAtText: false, isEventual: false };
}

function drawQuery(random: Random): Meaning {
  const filter = random.below(2) === 0 ? drawCondition(random) : undefined;
  const isEventual = random.below(4) === 0;
  const query = (request: QueryRequest, looksAtText = false): Meaning => {
    return { kind: "query", request, looksAtText, isEventual };
  };
  switch (random.below(8)) {
    case 0: {
      const keys = [{ attribute: "n", direction: "desc" as const }];
      const limit = 1 + random.below(9);
      return query(single(documentsQuery({ kind: "order", keys }, { filter, limit })));
    }
    case 1:
    case 2: {
      const words = `${WORDS[random.below(6)]} ${WORDS[random.below(6)]}`;
      const lastAsPrefix = random.below(3) === 0;
      const expression = { kind: "bm25", attribute: "t", query: words, lastAsPrefix } as const;
      return query(single(documentsQuery({ kind: "score", expression }, { filter })), true);
    }
    case 3: {
      const values = Float32Array.of(random.below(9), random.below(9));
      const operand = { kind: "vector", values } as const;
      const rankBy = { kind: "vector", method: "kNN", attribute: "v", operand } as const;
      const some = filter ?? condition("n", "Gte", 1n);
      return query(single(documentsQuery(rankBy, { filter: some, limit: 5 })));
    }
    case 4:
      return query(single(aggregateQuery(filter, random.below(2) === 0)));
    case 5: {
      const queries = [documentsQuery(BY_ID), aggregateQuery(undefined, false)];
      return query({ ...single(queries[0]), kind: "multi", queries });
    }
    default:
      return everything();
  }
}

const BY_ID: RankBy = { kind: "order", keys: [{ attribute: "id", direction: "asc" }] };

function single(query: Query): QueryRequest {
  const rest = { consistency: "strong", vectorEncoding: "float" } as const;
  return { kind: "single", queries: [query], fusion: undefined, ...rest };
}

function documentsQuery(rankBy: RankBy, rest: Partial<DocumentQuery> = {}): DocumentQuery {
  return {
    kind: "documents",
    rankBy,
    filter: undefined,
    limit: 1000,
    limitPer: undefined,
    offset: 0,
    selection: { kind: "all" },
    computed: new Map(),
    distanceMetric: undefined,
    ...rest,
  };
}

function aggregateQuery(filter: Filter | undefined, isGrouped: boolean): AggregateQuery {
  return {
    kind: "aggregate",
    filter,
    aggregates: new Map([
      ["count", { kind: "count" }],
      ["sum", { kind: "sum", attribute: "n" }],
    ]),
    groupBy: isGrouped ? [{ kind: "attribute", attribute: "b" }] : [],
    groupLimit: 100,
  };
}
