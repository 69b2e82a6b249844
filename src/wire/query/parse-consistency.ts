/** `consistency`: how new the state is that a query sees. */

import { invalid } from "../../base/errors.ts";
import { STALENESS_SECONDS_DEFAULT, STALENESS_SECONDS_MAX } from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { QueryRequest } from "../../model/query.ts";
import { countAt, missingMember, objectAt, present, variantAt } from "../json/json-shape.ts";

const STALENESS = "consistency.max_staleness_seconds";
const MS_PER_SECOND = 1000;

/** Reads the level, by default `strong`, and how old what an eventual query sees may be. */
export function parseConsistency(
  value: JsonValue | undefined,
): Pick<QueryRequest, "consistency" | "stalenessMsMax"> {
  if (value === undefined) return { consistency: "strong" };
  const object = objectAt("consistency", value, "struct Consistency");
  const level = object.get("level");
  if (level === undefined) throw missingMember("consistency", "level");
  if (typeof level !== "string") {
    throw invalid("💔 consistency.level must be `strong` or `eventual`");
  }
  const consistency = variantAt("consistency.level", level, ["strong", "eventual"]);
  if (consistency === "eventual") return { consistency, stalenessMsMax: parseStaleness(object) };
  if (present(object, "max_staleness_seconds") === undefined) return { consistency };
  throw invalid(
    `💔 ${STALENESS} cannot be used with consistency.level strong, which sees every write; ` +
      "leave it out, or set the level to eventual",
  );
}

function parseStaleness(consistency: JsonObject): number {
  const value = present(consistency, "max_staleness_seconds");
  if (value === undefined) return STALENESS_SECONDS_DEFAULT * MS_PER_SECOND;
  const seconds = countAt(STALENESS, value);
  if (seconds <= STALENESS_SECONDS_MAX) return seconds * MS_PER_SECOND;
  throw invalid(`💔 ${STALENESS} must be between 0 and ${STALENESS_SECONDS_MAX}, got ${seconds}`);
}
