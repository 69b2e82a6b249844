/** Sends the queries of `query-sets.ts` to a server: how long they take, and how good they are. */

import { Connection, median, onConnections, postJson } from "../http-harness.ts";
import { type QuerySet, requestOf, SAMPLE } from "./query-sets.ts";
import { NAMESPACE } from "./scale-set.ts";

const ROUNDS = 3;
/** Rounds before those: each kind of query has code of its own, which is compiled meanwhile. */
const WARM_UP_ROUNDS = 4;

/** How so many clients at once were answered. */
export interface Answered {
  readonly latenciesMs: readonly number[];
  readonly perSecond: number;
}

/** Sends each query to warm up, and then in three rounds, of whose rates it is the median. */
export async function askAll(
  url: string,
  { queries }: QuerySet,
  clients: number,
): Promise<Answered> {
  const requests = queries.map(requestOf);
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await askOnce(url, requests, clients);
  const rounds: Answered[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await askOnce(url, requests, clients));
  }
  return {
    latenciesMs: rounds.flatMap(({ latenciesMs }) => latenciesMs),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  };
}

/** How many queries `askAll` sends of a set. */
export function askedTimes({ queries }: QuerySet): number {
  return (WARM_UP_ROUNDS + ROUNDS) * queries.length;
}

async function askOnce(
  url: string,
  requests: readonly (readonly Uint8Array[])[],
  clients: number,
): Promise<Answered> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  await onConnections(url, clients, async (connection, index) => {
    for (let i = index; i < requests.length; i += clients) {
      const sentMs = performance.now();
      await connection.send(requests[i]);
      latenciesMs.push(performance.now() - sentMs);
    }
  });
  return { latenciesMs, perSecond: (1000 * requests.length) / (performance.now() - startMs) };
}

/** Of the ten nearest by an exact search, the share that ANN finds; undefined of texts. */
export async function recallOf(url: string, set: QuerySet): Promise<number | undefined> {
  if (set.exact === undefined) return undefined;
  const wanted = await idsOf(url, set.exact.slice(0, SAMPLE));
  return shareFound(wanted, await idsOf(url, set.queries.slice(0, SAMPLE)));
}

/** Ids of the rows that answer each query. */
export async function idsOf(url: string, queries: readonly object[]): Promise<number[][]> {
  const connection = await Connection.open(url);
  const found: number[][] = [];
  for (const query of queries) {
    const { rows } = JSON.parse((await connection.send(requestOf(query))).toString());
    found.push(rows.map(({ id }: { id: number }) => id));
  }
  connection.close();
  return found;
}

/** Mean share of each list that the other one has; of those that are not empty. */
export function shareFound(
  wanted: readonly (readonly number[])[],
  found: readonly (readonly number[])[],
): number {
  const shares = wanted.flatMap((ids, i) =>
    ids.length === 0 ? [] : ids.filter((id) => found[i].includes(id)).length / ids.length,
  );
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** What queries looked at, each in the mean, and the milliseconds that went to it. */
export interface QueryMeans {
  readonly entries: number;
  readonly postings: number;
  readonly codes: number;
  readonly vectors: number;
  readonly searchMs: number;
}

/** Runs the queries once more, with the server's own counts of each. */
export async function meansOf(url: string, { queries }: QuerySet): Promise<QueryMeans> {
  const analyses: Analysis[] = [];
  for (const query of queries.slice(0, SAMPLE)) {
    const body = { ...query, analyze: true };
    const answer = await postJson(url, `/v2/namespaces/${NAMESPACE}/explain_query`, body);
    analyses.push((answer as { readonly analysis: Analysis }).analysis);
  }
  const mean = (of: (analysis: Analysis) => number) =>
    analyses.reduce((sum, analysis) => sum + of(analysis), 0) / analyses.length;
  const count = (name: string) =>
    mean(({ queries: works }) => works.reduce((sum, work) => sum + work[name], 0));
  return {
    entries: count("entries_touched"),
    postings: count("postings_touched"),
    codes: count("codes_scanned"),
    vectors: count("vectors_scored"),
    searchMs: mean(({ phases }) => phases.search_ms),
  };
}

/** What an explained query says of itself. */
interface Analysis {
  readonly queries: readonly Readonly<Record<string, number>>[];
  readonly phases: { readonly search_ms: number };
}
