/** What a component asks the server for: its state, and the means to ask again. */

import { useCallback, useEffect, useState } from "preact/hooks";
import type { ApiClient } from "../api/api-client.ts";
import { type ApiFault, faultOf } from "../api/api-fault.ts";
import { client, serverReturns } from "./session.ts";

/** See the file's head. `value` is the last answer, also while it is asked for anew. */
export interface RequestState<T> {
  readonly isLoading: boolean;
  readonly value: T | undefined;
  readonly fault: ApiFault | undefined;
  readonly reload: () => void;
}

/**
 * Asks when the component appears, and again when one of `inputs` changes, the key does, or the
 * server is back; what is asked before is called off then.
 */
export function useRequest<T>(
  ask: (api: ApiClient, signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): RequestState<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Omit<RequestState<T>, "reload">>(NOTHING);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const api = client.value;
  const returns = serverReturns.value;
  useEffect(() => {
    const ended = new AbortController();
    setState(({ value }) => ({ isLoading: true, value, fault: undefined }));
    ask(api, ended.signal).then(
      (value) => {
        if (!ended.signal.aborted) setState({ isLoading: false, value, fault: undefined });
      },
      (error: unknown) => {
        if (ended.signal.aborted) return;
        setState(({ value }) => ({ isLoading: false, value, fault: faultOf(error) }));
      },
    );
    return () => ended.abort();
  }, [api, returns, turn, ...inputs]);
  return { ...state, reload };
}

const NOTHING = { isLoading: true, value: undefined, fault: undefined };
