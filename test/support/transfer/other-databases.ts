/** Small servers with the documented answers of other databases, each with three documents. */

import type { ServerResponse } from "node:http";

/** A request as a handler sees it. */
export interface AskedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the body, if there is one. */
  // biome-ignore lint/suspicious/noExplicitAny: each database has its own shapes.
  readonly body: any;
}

/** Answers one request with JSON's text; undefined for what is not there. */
export type OtherDatabase = (request: AskedRequest) => string | undefined;

const UUID = "769c134d-07b8-4225-954a-b6cc5ffc320c";

/** Qdrant with the collection `books`, in pages of one point. */
export const qdrant: OtherDatabase = ({ method, url, headers, body }) => {
  if (headers["api-key"] !== "secret") return undefined;
  if (method === "GET" && url.pathname === "/collections/books") {
    return `{"result":{"status":"green","points_count":3,"config":{"params":{"vectors":{
      "text":{"size":2,"distance":"Cosine"},"image":{"size":3,"distance":"Cosine"}},
      "sparse_vectors":{"words":{}}}}},"status":"ok","time":0.001}`;
  }
  if (url.pathname !== "/collections/books/points/scroll") return undefined;
  const points = [
    `{"id":7,"payload":{"title":"A walrus","price":5,"tags":["sea","ice"],
      "author":{"name":"Ann","born":1950}},
      "vector":{"text":[0.1,0.9],"image":[1,2,3],"words":{"indices":[1,5],"values":[0.5,0.25]}}}`,
    `{"id":9007199254740993,"payload":{"title":null,"price":7.5,"id":"own",
      "parts":[{"a":1},{"b":2}]},"vector":{"text":[0.8,0.2],"image":[0,0,1]}}`,
    '{"id":18446744073709551615,"payload":null,"vector":{"text":[0.5,0.5],"image":[0,1,0]}}',
  ];
  const starts = ["7", "9007199254740993", "18446744073709551615"];
  // JavaScript has rounded the offset; what was meant is told by its beginning.
  const at = body.offset === undefined ? 0 : starts.findIndex((id) => Number(id) === body.offset);
  return `{"result":{"points":[${points[at]}],"next_page_offset":${starts[at + 1] ?? "null"}},
    "status":"ok","time":0.002}`;
};

/** Chroma with the collection `books` in a database of its own. */
export const chroma: OtherDatabase = ({ method, url, body }) => {
  const base = "/api/v2/tenants/mine/databases/all/collections";
  const id = "5fd0c8a1-0000-4000-8000-000000000001";
  if (method === "GET" && url.pathname === `${base}/books`) {
    return `{"id":"${id}","name":"books","dimension":2,"metadata":null,
      "configuration_json":{"hnsw":{"space":"l2"}},"tenant":"mine","database":"all"}`;
  }
  if (url.pathname === `${base}/${id}/count`) return "3";
  if (url.pathname !== `${base}/${id}/get`) return undefined;
  if (body.offset > 0) return '{"ids":[],"embeddings":[],"documents":[],"metadatas":[]}';
  return `{"ids":["a","b","c"],"embeddings":[[0.1,0.9],[0.8,0.2],[0.5,0.5]],
    "documents":["A walrus at sea",null,"The quick fox"],
    "metadatas":[{"year":1999,"document":"other"},null,{"year":2011,"new":true}],
    "uris":null,"include":["embeddings","documents","metadatas"]}`;
};

/** Pinecone with the namespace `books`, in pages of two vectors. */
export const pinecone: OtherDatabase = ({ url, headers }) => {
  if (headers["x-pinecone-api-version"] === undefined) return undefined;
  if (url.pathname === "/describe_index_stats") {
    return `{"namespaces":{"books":{"vectorCount":3},"":{"vectorCount":9}},"dimension":2,
      "indexFullness":0,"totalVectorCount":12,"metric":"dotproduct","vectorType":"dense"}`;
  }
  if (url.searchParams.get("namespace") !== "books") return undefined;
  if (url.pathname === "/vectors/list") {
    return url.searchParams.get("paginationToken") === "next"
      ? `{"vectors":[{"id":"${UUID}"}],"namespace":"books","usage":{"readUnits":1}}`
      : `{"vectors":[{"id":"doc1#1"},{"id":"doc1#2"}],"pagination":{"next":"next"},
        "namespace":"books","usage":{"readUnits":1}}`;
  }
  if (url.pathname !== "/vectors/fetch") return undefined;
  const vectors = url.searchParams.getAll("ids").map((id, i) => {
    const sparse = i === 0 ? ',"sparseValues":{"indices":[3],"values":[0.5]}' : "";
    return `"${id}":{"id":"${id}","values":[0.${i + 1},0.5]${sparse},"metadata":{"year":199${i}}}`;
  });
  return `{"vectors":{${vectors.join(",")}},"namespace":"books","usage":{"readUnits":1}}`;
};

/** Answers as `database` does, and with a 404 of its kind where it has nothing. */
export function answerAs(
  database: OtherDatabase,
  request: AskedRequest,
  response: ServerResponse,
): void {
  const text = database(request);
  response.writeHead(text === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(text ?? '{"status":{"error":"Not found: there is no such thing"},"time":0}');
}
