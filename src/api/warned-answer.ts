import type { UnknownMembers } from "../wire/json/unknown-members.ts";
import type { HttpAnswer } from "./engine.ts";

/** The header that says what of a request was ignored. */
export const WARNING_HEADER = "trawl-warning";

/** The answer to a request, errors too, with a warning if members of its body were unknown. */
export function warnedAnswer(answer: HttpAnswer, unknown: UnknownMembers): HttpAnswer {
  const warning = unknown.warning();
  if (warning === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, [WARNING_HEADER]: warning } };
}
