/** Lists of namespaces, page by page. */

import type { EngineCalls } from "./call-engine.ts";
import type { NamespacesParameters } from "./query-parameters.ts";
import type { CallOptions, NamespaceList, NamespacePage } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";

interface Entry {
  readonly id: string;
}

/** The body of the API's answer. */
interface ListAnswer {
  readonly namespaces: readonly Entry[];
  readonly next_cursor?: string | null;
}

/** What a list is made with. */
export interface ListOptions {
  readonly calls: EngineCalls;
  readonly parameters: NamespacesParameters;
  readonly options: CallOptions | undefined;
}

/** Lists namespaces once it is awaited or iterated. */
export function listNamespaces(asked: ListOptions): NamespaceList {
  return {
    // biome-ignore lint/suspicious/noThenProperty: as with the official client, a list is awaited.
    then: (onPage, onError) => readPage(asked).then(onPage, onError),
    [Symbol.asyncIterator]: async function* () {
      yield* await readPage(asked);
    },
  };
}

async function readPage(asked: ListOptions): Promise<NamespacePage> {
  const { calls, parameters, options } = asked;
  const answer = await calls.call<ListAnswer>(
    {
      operation: "list_namespaces",
      apiVersion: "v1",
      parameters: { ...parameters },
    },
    options,
  );
  const { namespaces } = answer;
  const next_cursor = answer.next_cursor ?? "";
  const hasNextPage = () => next_cursor !== "";
  const getNextPage = async () => {
    if (!hasNextPage()) {
      const message = "this is the last page of namespaces; ask hasNextPage() before";
      throw new TrawlError(message, { status: 400 });
    }
    return readPage({ ...asked, parameters: { ...parameters, cursor: next_cursor } });
  };
  return {
    namespaces,
    next_cursor,
    hasNextPage,
    getNextPage,
    [Symbol.asyncIterator]: async function* (): AsyncGenerator<Entry> {
      yield* namespaces;
      if (hasNextPage()) yield* await getNextPage();
    },
  };
}
