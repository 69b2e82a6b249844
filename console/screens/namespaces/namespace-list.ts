/** The names of the list, page by page, for what is searched. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import { type ApiFault, faultOf } from "../../api/api-fault.ts";
import { listNamespaces } from "../../api/namespaces.ts";
import { client, serverReturns } from "../../state/session.ts";

/** After the last key: whoever types is not asked for each letter. */
const TYPING_MS = 150;

/** See the file's head. */
export interface NamespaceList {
  readonly names: readonly string[];
  readonly isLoading: boolean;
  /** There are more names than are loaded. */
  readonly hasMore: boolean;
  readonly fault: ApiFault | undefined;
  /** Changes when the list is asked for from its beginning. */
  readonly generation: number;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface Loaded {
  readonly prefix: string | undefined;
  readonly names: readonly string[];
  readonly next: string | undefined;
}

/** Lists the namespaces whose names begin with `prefix`. */
export function useNamespaceList(prefix: string): NamespaceList {
  const api = client.value;
  const returns = serverReturns.value;
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>({ prefix: undefined, names: [], next: undefined });
  const [isLoading, setLoading] = useState(true);
  const [fault, setFault] = useState<ApiFault>();
  const ended = useRef(new AbortController());
  const isPaging = useRef(false);
  const page = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      setLoading(true);
      setFault(undefined);
      try {
        const { names, next } = await listNamespaces(api, { prefix, cursor, signal });
        if (signal.aborted) return;
        setLoaded((before) => ({
          prefix,
          names: cursor === undefined ? names : [...before.names, ...names],
          next,
        }));
      } catch (error) {
        if (!signal.aborted) setFault(faultOf(error));
      } finally {
        if (!signal.aborted) setLoading(false);
      }
    },
    [api, prefix],
  );
  useEffect(() => {
    const controller = new AbortController();
    ended.current = controller;
    // The next page of the list that is left has no place in the one that comes.
    setLoading(true);
    const waitMs = loaded.prefix === undefined || loaded.prefix === prefix ? 0 : TYPING_MS;
    systemClock.sleep(waitMs, controller.signal).then(
      () => page(undefined, controller.signal),
      () => undefined,
    );
    return () => controller.abort();
  }, [page, returns, turn]);
  const loadMore = useCallback(() => {
    if (loaded.next === undefined || fault !== undefined) return;
    if (isPaging.current || isLoading) return;
    isPaging.current = true;
    void page(loaded.next, ended.current.signal).finally(() => {
      isPaging.current = false;
    });
  }, [loaded, page, isLoading, fault]);
  return {
    names: loaded.names,
    isLoading,
    hasMore: loaded.next !== undefined,
    fault,
    generation: turn + returns,
    loadMore,
    reload: () => setTurn((before) => before + 1),
  };
}
