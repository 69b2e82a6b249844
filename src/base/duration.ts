/** Durations as people write and read them. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** What `parseDuration` reads, for messages. */
export const DURATION_FORM = "a number with a unit of ms, s, m, h, d or w, such as 30d or 1h";

/** Reads `30d`, `1h`, `1.5s` as milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|m|h|d|w)$/.exec(text.trim());
  return parts === null ? undefined : Number(parts[1]) * UNIT_MS[parts[2]];
}

/** A duration for people, in two units at most: `12 ms`, `3.4 s`, `5 min 12 s`, `2 h 7 min`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(seconds, { unit: 60, names: ["min", "s"] });
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return twoUnits(minutes, { unit: 60, names: ["h", "min"] });
  return twoUnits(Math.round(minutes / 60), { unit: 24, names: ["d", "h"] });
}

function twoUnits(
  count: number,
  { unit, names }: { readonly unit: number; readonly names: readonly [string, string] },
): string {
  const whole = `${Math.floor(count / unit)} ${names[0]}`;
  return count % unit === 0 ? whole : `${whole} ${count % unit} ${names[1]}`;
}
