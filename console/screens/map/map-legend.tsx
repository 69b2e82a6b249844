/** What the colours of a map mean; a category selects its points. */

import type { JSX } from "preact";
import type { LegendEntry, PointShades } from "./drawing/point-shades.ts";

/** Nothing where all points have one colour. */
export function MapLegend(props: {
  readonly shades: PointShades;
  /** The attribute. */
  readonly title: string | undefined;
  readonly onSelect: (entry: LegendEntry) => void;
}): JSX.Element | undefined {
  const { shades, title, onSelect } = props;
  if (shades.kind === "one" || title === undefined) return undefined;
  return (
    <section class="map-part" aria-labelledby="legend-title">
      <h2 id="legend-title">
        Colours: <code>{title}</code>
      </h2>
      {shades.kind === "scale" && (
        <p class="muted">From the least value, darkest, to the greatest, lightest.</p>
      )}
      <ul class="legend" aria-label="Colours">
        {shades.legend.map((entry) => (
          <li key={entry.shade}>
            <span class="swatch" style={{ background: entry.color }} aria-hidden="true" />
            {entry.count === 0 ? (
              <span>{entry.label}</span>
            ) : (
              <button
                type="button"
                class="link"
                title={`Select the points of ${entry.label}`}
                onClick={() => onSelect(entry)}
              >
                {entry.label}
              </button>
            )}
            {entry.count > 0 && <span class="muted">{entry.count}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
