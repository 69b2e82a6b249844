import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/notes.tsx";
import { LiveChart } from "./live-chart.tsx";
import { PANELS } from "./panels.ts";
import { useMetrics } from "./use-metrics.ts";

/** What the server does now, as lines that grow. */
export function LiveCharts(): JSX.Element {
  const [isHeld, setHeld] = useState(false);
  const { moments, fault, isPaused } = useMetrics(isHeld);
  const isEmpty = moments.every(({ length }) => length === 0);
  return (
    <>
      <div class="screen-head">
        <Button isPressed={isHeld} onClick={() => setHeld(!isHeld)}>
          Pause
        </Button>
        <span class="muted" role="status">
          {isPaused
            ? "Paused: the server is not asked."
            : isEmpty
              ? "The first numbers come in a few seconds."
              : "Every two seconds, the last ten minutes; not while the page is hidden."}
        </span>
      </div>
      {fault !== undefined && <ErrorNote fault={fault} />}
      <div class="live-grid">
        {PANELS.map((panel, i) => (
          <LiveChart key={panel.title} panel={panel} moments={moments[i]} />
        ))}
      </div>
    </>
  );
}
