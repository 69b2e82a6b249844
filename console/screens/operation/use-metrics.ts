/** `/metrics`, asked for every two seconds while somebody looks. */

import { useEffect, useState } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { type ApiFault, faultOf } from "../../api/api-fault.ts";
import { client } from "../../state/session.ts";
import { type Moment, withScrape } from "./live-series.ts";
import type { Scrape } from "./metric-change.ts";
import { parseMetrics } from "./metrics-text.ts";
import { PANELS } from "./panels.ts";

/** Threads of the server report once a second. */
const POLL_MS = 2000;

/** See the file's head. */
export interface LiveMetrics {
  /** By panel. */
  readonly moments: readonly (readonly Moment[])[];
  readonly fault: ApiFault | undefined;
  /** Nobody looks, or who looks wants it to stand still. */
  readonly isPaused: boolean;
}

const NOTHING: readonly (readonly Moment[])[] = PANELS.map(() => []);

/** Asks while the component is there and the page is in sight; not while `isHeld`. */
export function useMetrics(isHeld: boolean): LiveMetrics {
  const [moments, setMoments] = useState(NOTHING);
  const [fault, setFault] = useState<ApiFault | undefined>(undefined);
  const isHidden = useHidden();
  const api = client.value;
  const isPaused = isHeld || isHidden;
  // Another key may see another server's numbers, behind a proxy.
  useEffect(() => setMoments(NOTHING), [api]);
  useEffect(() => {
    if (isPaused) return;
    const ended = new AbortController();
    const told = (after: Scrape, before: Scrape | undefined) => {
      setFault(undefined);
      setMoments((all) =>
        PANELS.map(({ series }, i) =>
          withScrape(all[i], { before, after }, { series, nowMs: systemClock.nowMs() }),
        ),
      );
    };
    void pollMetrics(api, ended.signal, { told, failed: setFault });
    return () => ended.abort();
  }, [api, isPaused]);
  return { moments, fault, isPaused };
}

/** Where one left off: charts go on after a pause, with a gap. */
let last: { readonly api: ApiClient; readonly scrape: Scrape } | undefined;

async function pollMetrics(
  api: ApiClient,
  signal: AbortSignal,
  to: {
    readonly told: (after: Scrape, before: Scrape | undefined) => void;
    readonly failed: (fault: ApiFault | undefined) => void;
  },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { text } = await api.send({ method: "GET", path: "/metrics", signal });
      const scrape = { atMs: systemClock.monotonicMs(), samples: parseMetrics(text) };
      to.told(scrape, last?.api === api ? last.scrape : undefined);
      last = { api, scrape };
    } catch (error) {
      if (!signal.aborted) to.failed(faultOf(error));
    }
    await systemClock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}

function useHidden(): boolean {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const look = () => setHidden(document.hidden);
    // Effects run after painting: the tab may have come to the front since.
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isHidden;
}
