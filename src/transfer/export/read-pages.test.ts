import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { ApiClient } from "../../client/api-client.ts";
import { type PageRequest, readPages } from "./read-pages.ts";

const COUNT = 2_500;
const REQUEST: PageRequest = {
  namespace: "books",
  filters: null,
  excluded: [],
  vectorEncoding: "float",
  after: null,
};

interface SentQuery {
  readonly limit: number;
  readonly filters?: readonly unknown[];
}

let asked: SentQuery[] = [];
/** Answers instead of the rows; false where these are wanted. */
let meddle: (response: ServerResponse, query: SentQuery) => boolean = () => false;
let client: ApiClient;
const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const query = JSON.parse(text) as SentQuery;
  asked.push(query);
  if (meddle(response, query)) return;
  const filter = query.filters?.[0] === "And" ? query.filters[1] : [query.filters];
  const after = (filter as unknown[][]).find((part) => part?.[0] === "id")?.[2];
  const start = after === undefined ? 0 : Number(after) + 1;
  const ids = Array.from({ length: COUNT }, (_, id) => id).slice(start, start + query.limit);
  response.end(`{"rows":[${ids.map((id) => `{"id":${id}}`).join(",")}],"billing":{}}`);
});

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new ApiClient({ url, clock: new InstantClock(), random: seededRandom(1) });
  asked = [];
  meddle = () => false;
});

afterEach(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function readAll(request = REQUEST): Promise<string[]> {
  const rows: string[] = [];
  for await (const page of readPages(client, request)) {
    rows.push(...page.rows.map(String));
    expect(page.last).toBe(JSON.stringify(JSON.parse(rows[rows.length - 1]).id));
  }
  return rows;
}

const ALL = Array.from({ length: COUNT }, (_, id) => `{"id":${id}}`);

test("all documents come once, in the order of their ids, by pages that grow", async () => {
  expect(await readAll()).toEqual(ALL);
  expect(asked.map(({ limit }) => limit)).toEqual([200, 2000, 10_000]);
});

test("reading continues behind an id, under the filter", async () => {
  const filters = '["n","Gt",5]';
  const request = { ...REQUEST, filters, after: "2400", excluded: ["vector"] };
  expect(await readAll(request)).toEqual(ALL.slice(2401));
  expect(asked).toEqual([
    {
      rank_by: ["id", "asc"],
      limit: 200,
      exclude_attributes: ["vector"],
      vector_encoding: "float",
      filters: [
        "And",
        [
          ["n", "Gt", 5],
          ["id", "Gt", 2400],
        ],
      ],
    },
  ]);
});

test("a page that needs too much memory is asked for again with fewer documents", async () => {
  meddle = (response, { limit }) => {
    if (limit <= 60) return false;
    response.writeHead(400);
    response.end('{"status":"error","error":"the query needs more memory than a query may take"}');
    return true;
  };
  expect(await readAll()).toEqual(ALL);
  expect(asked.slice(0, 3).map(({ limit }) => limit)).toEqual([200, 50, 500]);
});

test("another refusal is thrown", async () => {
  meddle = (response) => {
    response.writeHead(400);
    response.end('{"status":"error","error":"unknown attribute"}');
    return true;
  };
  await expect(readAll()).rejects.toThrow("unknown attribute");
});

test("an answer that is cut off is asked for again, some times", async () => {
  let cuts = 0;
  meddle = (response, { limit }) => {
    if (limit === 200 || cuts++ >= 2) return false;
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"rows":[', () => response.destroy());
    return true;
  };
  expect(await readAll()).toEqual(ALL);
  cuts = Number.NEGATIVE_INFINITY;
  await expect(readAll()).rejects.toThrow("was cut off");
});
