/** Recall over selectivity, as a small chart beside its table. */

import type { JSX } from "preact";
import type { RecallPoint } from "./measure-recall.ts";
import { shareText } from "./selectivity.ts";

const WIDTH = 320;
const HEIGHT = 170;
const LEFT = 40;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 26;
/** Decades of selectivity, from 100 % to 0.1 %. */
const DECADES = 3;

/** Points from all documents at the left to the fewest at the right, on a logarithmic axis. */
export function RecallChart({ points }: { readonly points: readonly RecallPoint[] }): JSX.Element {
  const least = Math.min(0.9, ...points.map(({ recall }) => recall));
  const floor = Math.floor(least * 10) / 10;
  const x = (share: number) => {
    const decades = Math.min(DECADES, Math.max(0, -Math.log10(Math.max(share, 1e-9))));
    return LEFT + (decades / DECADES) * (WIDTH - LEFT - RIGHT);
  };
  const y = (recall: number) => TOP + ((1 - recall) / (1 - floor)) * (HEIGHT - TOP - BOTTOM);
  const line = points.map(({ share, recall }) => `${x(share)},${y(recall)}`).join(" ");
  const words = points
    .map(({ share, recall }) => `${recall.toFixed(3)} at ${shareText(share)}`)
    .join(", ");
  return (
    <svg
      class="recall-chart"
      role="img"
      aria-label={`Recall by selectivity: ${words}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
    >
      {[floor, (floor + 1) / 2, 1].map((recall) => (
        <g key={recall}>
          <line class="chart-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(recall)} y2={y(recall)} />
          <text class="chart-text" x={LEFT - 6} y={y(recall) + 4} text-anchor="end">
            {recall.toFixed(2)}
          </text>
        </g>
      ))}
      {[1, 0.1, 0.01, 0.001].map((share) => (
        <text key={share} class="chart-text" x={x(share)} y={HEIGHT - 8} text-anchor="middle">
          {shareText(share)}
        </text>
      ))}
      <polyline class="chart-curve" points={line} />
      {points.map(({ share, recall }) => (
        <circle key={share} class="chart-point" cx={x(share)} cy={y(recall)} r="3.5" />
      ))}
    </svg>
  );
}
