/** Runs the action of a submitted form, one run at a time, and holds the error of the last run. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiFault, faultOf } from "../api/api-fault.ts";

/** The state of a form's submission, and the functions that change it. */
export interface Submission {
  readonly isBusy: boolean;
  /** Why the last run failed, or the input was refused. */
  readonly fault: Pick<ApiFault, "message"> | undefined;
  /** Refuses the input; undefined clears the fault. */
  readonly refuse: (message: string | undefined) => void;
  /**
   * Runs `work`, and `done` after it if the form is still there: by then the user may have closed
   * it and opened another one. `always` gets the result even if the form is closed, in the same
   * rendering as `done`. Ignored while another run is in progress.
   */
  readonly run: <T>(
    work: () => Promise<T>,
    done?: (value: T) => void,
    always?: (value: T) => void,
  ) => void;
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
  const run = async <T>(
    work: () => Promise<T>,
    done?: (value: T) => void,
    always?: (value: T) => void,
  ) => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const value = await work();
      always?.(value);
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
    run: (work, done, always) => void run(work, done, always),
  };
}
