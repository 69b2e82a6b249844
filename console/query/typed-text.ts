import type { Ranking } from "./query-model.ts";

/**
 * A ranking that asks for the text that was typed for another one, if it has none of its own yet:
 * who looks for the same by words and by meaning types it once. The first of `others` that has a
 * text gives it.
 */
export function withTypedText(ranking: Ranking, others: readonly Ranking[]): Ranking {
  const text = others.map(textOf).find((each) => each !== undefined && each.trim() !== "");
  if (text === undefined || textOf(ranking) !== "") return ranking;
  if (ranking.kind === "text") return { ...ranking, query: text };
  return ranking.kind === "vector" ? { ...ranking, text } : ranking;
}

/** What people have typed to be looked for; undefined where a ranking takes no text. */
function textOf(ranking: Ranking): string | undefined {
  if (ranking.kind === "text") return ranking.query;
  return ranking.kind === "vector" && ranking.from === "text" ? ranking.text : undefined;
}
