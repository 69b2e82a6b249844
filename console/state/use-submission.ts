/** What a form does when it is submitted: one thing at a time, and what went wrong with it. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiFault, faultOf } from "../api/api-fault.ts";

/** See the file's head. */
export interface Submission {
  readonly isBusy: boolean;
  /** Why the last run failed, or the input was refused. */
  readonly fault: Pick<ApiFault, "message"> | undefined;
  /** Refuses the input; undefined clears the fault. */
  readonly refuse: (message: string | undefined) => void;
  /**
   * Runs `work`, and `done` after it if the form is still there: by then the user may have closed
   * it and opened another one. Ignored while another run is in progress.
   */
  readonly run: <T>(work: () => Promise<T>, done?: (value: T) => void) => void;
}

/** The submission of a component. */
export function useSubmission(): Submission {
  const [fault, setFault] = useState<Submission["fault"]>(undefined);
  const [isBusy, setBusy] = useState(false);
  const isThere = useRef(true);
  useLayoutEffect(
    () => () => {
      isThere.current = false;
    },
    [],
  );
  const run = async <T>(work: () => Promise<T>, done?: (value: T) => void) => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const value = await work();
      if (isThere.current) done?.(value);
    } catch (error) {
      setFault(faultOf(error));
    }
    setBusy(false);
  };
  return {
    isBusy,
    fault,
    refuse: (message) => setFault(message === undefined ? undefined : { message }),
    run: (work, done) => void run(work, done),
  };
}
