/** The documents of the screen, page by page. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiFault, faultOf } from "../../api/api-fault.ts";
import { type DocumentRow, type QueryPerformance, queryDocuments } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import { client, serverReturns } from "../../state/session.ts";
import { type PageOptions, pageQuery } from "./document-page.ts";

/** Documents that are kept in the page; who wants more narrows the filter, or exports. */
const ROWS_MAX = 20_000;

/** See the file's head. */
export interface DocumentList {
  readonly rows: readonly DocumentRow[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** There are more, and they are not loaded. */
  readonly isFull: boolean;
  readonly fault: ApiFault | undefined;
  /** How the last page was found. */
  readonly performance: QueryPerformance | undefined;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface Loaded {
  readonly rows: readonly DocumentRow[];
  readonly hasMore: boolean;
  readonly performance: QueryPerformance | undefined;
}

const NOTHING: Loaded = { rows: [], hasMore: false, performance: undefined };

/** Loads the first page, and each next one when it is asked for. */
export function useDocumentList(
  namespace: string,
  options: Omit<PageOptions, "after">,
): DocumentList {
  const api = client.value;
  const returns = serverReturns.value;
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState(NOTHING);
  const [isLoading, setLoading] = useState(true);
  const [fault, setFault] = useState<ApiFault>();
  const ended = useRef(new AbortController());
  const isPaging = useRef(false);
  const { columns, order, conditions } = options;
  const asked = stringifyExact({ columns, order, conditions });
  const page = useCallback(
    async (after: DocumentRow | undefined, signal: AbortSignal) => {
      setLoading(true);
      setFault(undefined);
      try {
        const body = pageQuery({ ...options, after });
        const { value } = await queryDocuments(api, { namespace, body, signal });
        const found = value.rows ?? [];
        if (signal.aborted) return;
        setLoaded(({ rows }) => ({
          rows: after === undefined ? found : [...rows, ...found],
          hasMore: found.length === body.limit,
          performance: value.performance,
        }));
      } catch (error) {
        if (!signal.aborted) setFault(faultOf(error));
      } finally {
        if (!signal.aborted) setLoading(false);
      }
    },
    [api, namespace, asked],
  );
  useEffect(() => {
    const controller = new AbortController();
    ended.current = controller;
    isPaging.current = false;
    void page(undefined, controller.signal);
    return () => controller.abort();
  }, [page, returns, turn]);
  const isFull = loaded.rows.length >= ROWS_MAX;
  const loadMore = useCallback(() => {
    const last = loaded.rows.at(-1);
    if (!loaded.hasMore || isFull || last === undefined) return;
    if (isPaging.current || isLoading || fault !== undefined) return;
    isPaging.current = true;
    void page(last, ended.current.signal).finally(() => {
      isPaging.current = false;
    });
  }, [loaded, page, isFull, isLoading, fault]);
  const { rows, hasMore, performance } = loaded;
  const reload = () => setTurn((before) => before + 1);
  return {
    rows,
    isLoading,
    hasMore,
    isFull: isFull && hasMore,
    fault,
    performance,
    loadMore,
    reload,
  };
}
