import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { theme } from "../../state/theme.ts";
import type { Moment } from "./live-series.ts";
import type { Panel } from "./panels.ts";
import "uplot/dist/uPlot.min.css";

const HEIGHT_PX = 150;
/** Room for `1,024.0 MiB`. */
const AXIS_PX = 76;
/** Room for one line. */
const TIME_AXIS_PX = 26;
/** Of the time that is shown. */
const SHOWN_MS_MIN = 60_000;
/** Which one reads at a glance beside a clock on the wall. */
const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A panel's lines over time, with the newest numbers in words. */
export function LiveChart(props: {
  readonly panel: Panel;
  readonly moments: readonly Moment[];
}): JSX.Element {
  const { panel, moments } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | undefined>(undefined);
  const chosenTheme = theme.value;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(optionsOf(panel, element), dataOf(panel, moments), element);
    chart.current = made;
    const resized = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: HEIGHT_PX });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [panel, chosenTheme]);
  useEffect(() => chart.current?.setData(dataOf(panel, moments)), [panel, moments]);
  const newest = moments.at(-1);
  return (
    <figure class="live-chart">
      <figcaption>
        <h2>{panel.title}</h2>
        <span class="muted">{panel.unit}</span>
      </figcaption>
      <ul class="live-legend" aria-label={`${panel.title}, now`}>
        {panel.series.map(({ label }, i) => {
          const value = newest?.values[i];
          return (
            <li key={label}>
              <span class={`live-sign live-sign-${i + 1}`} aria-hidden="true" />
              {label} <strong>{value === undefined ? "–" : panel.format(value)}</strong>
            </li>
          );
        })}
      </ul>
      <div ref={place} class="live-canvas" aria-hidden="true" />
      <p class="field-hint">{panel.hint}</p>
    </figure>
  );
}

/** With a minute at least: of one moment alone the time would be a day, with marks that say 0. */
function dataOf({ series }: Panel, moments: readonly Moment[]): UPlot.AlignedData {
  const from = (moments.at(-1)?.atMs ?? 0) - SHOWN_MS_MIN;
  const isShort = moments.length > 0 && moments[0].atMs > from;
  const shown = isShort ? [{ atMs: from, values: [] }, ...moments] : moments;
  return [
    shown.map(({ atMs }) => atMs / 1000),
    ...series.map((_, i) => shown.map(({ values }) => values[i] ?? null)),
  ];
}

function timeText(seconds: number): string {
  return TIME.format(seconds * 1000);
}

function optionsOf({ series, format, most }: Panel, element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const lines = { stroke: colour("--text-2"), grid: { stroke: colour("--ground-3"), width: 1 } };
  return {
    width: element.clientWidth || 300,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: { y: { range: (_, _min, max) => [0, most ?? (max > 0 ? max * 1.1 : 1)] } },
    axes: [
      {
        ...lines,
        ticks: { show: false },
        size: TIME_AXIS_PX,
        values: (_, splits) => splits.map(timeText),
      },
      {
        ...lines,
        ticks: { show: false },
        size: AXIS_PX,
        values: (_, splits) => splits.map((split) => format(split)),
      },
    ],
    series: [
      {},
      ...series.map(({ label }, i) => ({
        label,
        stroke: colour(`--chart-${i + 1}`),
        width: 1.5,
        points: { show: false },
        // Lines that lie on each other are told apart without colours as well.
        dash: [[], [6, 3], [2, 3], [8, 3, 2, 3]][i],
      })),
    ],
  };
}
