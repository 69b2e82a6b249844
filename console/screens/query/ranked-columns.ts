import type { Ranking } from "../../query/query-model.ts";

/** What says which document a row is; it stays before everything. */
const IDENTITY = ["id", "$dist"];

/**
 * Columns with those first that the documents were ranked by: who searches titles wants to read
 * titles, wherever the schema has them. All others keep their order.
 */
export function rankedFirst(columns: readonly string[], rankings: readonly Ranking[]): string[] {
  const ranked = rankings.flatMap(attributesOf);
  const placeOf = (name: string) => {
    if (IDENTITY.includes(name)) return IDENTITY.indexOf(name) - IDENTITY.length;
    const place = ranked.indexOf(name);
    return place === -1 ? ranked.length : place;
  };
  return columns.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function attributesOf(ranking: Ranking): string[] {
  switch (ranking.kind) {
    case "text":
      return ranking.attributes.map(({ name }) => name);
    case "order":
      return ranking.keys.map(({ attribute }) => attribute);
    case "vector":
      // Numbers of a vector say nothing to a reader; the text that it was made of does.
      return ranking.from === "text" ? [ranking.attribute] : [];
    case "sparse":
      return [];
  }
}
