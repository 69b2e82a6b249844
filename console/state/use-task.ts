/** Work that takes a while and that a person starts and may stop. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiClient } from "../api/api-client.ts";
import { type ApiFault, faultOf } from "../api/api-fault.ts";
import { client } from "./session.ts";

/** See the file's head. */
export interface Task<T> {
  /** What is done now, in words, while it runs. */
  readonly step: string | undefined;
  /** How far it is, 0 to 1, where that is known. */
  readonly share: number | undefined;
  /** The last result, also one that is not finished: `show` hands it on. */
  readonly value: T | undefined;
  readonly fault: ApiFault | undefined;
  readonly start: (work: (run: TaskRun<T>) => Promise<T>) => void;
  readonly stop: () => void;
}

/** What work is given. */
export interface TaskRun<T> {
  readonly api: ApiClient;
  readonly signal: AbortSignal;
  readonly tell: (step: string, share?: number) => void;
  /** Shows what there is so far. */
  readonly show: (value: T) => void;
}

type TaskState<T> = Pick<Task<T>, "step" | "share" | "value" | "fault">;

/** A task of a component; it is stopped when the component goes, or another run starts. */
export function useTask<T>(): Task<T> {
  const [state, setState] = useState<TaskState<T>>(IDLE);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start: Task<T>["start"] = (work) => {
    running.current?.abort();
    const ended = new AbortController();
    running.current = ended;
    const { signal } = ended;
    const change = (changed: Partial<TaskState<T>>) => {
      if (running.current === ended && !signal.aborted)
        setState((before) => ({ ...before, ...changed }));
    };
    setState({ ...IDLE, step: "starting" });
    const run: TaskRun<T> = {
      api: client.peek(),
      signal,
      tell: (step, share) => change({ step, share }),
      show: (value) => change({ value }),
    };
    work(run).then(
      (value) => change({ value, step: undefined }),
      (error: unknown) => change({ step: undefined, fault: faultOf(error) }),
    );
  };
  const stop = () => {
    running.current?.abort();
    setState((before) => ({ ...before, step: undefined, share: undefined }));
  };
  return { ...state, start, stop };
}

const IDLE = { step: undefined, share: undefined, value: undefined, fault: undefined };
