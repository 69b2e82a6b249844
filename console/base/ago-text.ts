import { countedText } from "../../src/base/amount-text.ts";

/** `5 minutes ago`, of milliseconds, in the largest unit of which there is one. */
export function agoText(ms: number): string {
  const units = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
  ] as const;
  for (const [unitMs, name] of units) {
    if (ms >= unitMs) return `${countedText(Math.floor(ms / unitMs), name)} ago`;
  }
  return "just now";
}
