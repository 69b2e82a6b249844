import { signToken, TOKEN_MS_MAX } from "../../access/query-token.ts";
import { DURATION_FORM, parseDuration } from "../../base/duration.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { namespaceNameFault } from "../../base/ids.ts";
import { parseForcedFilter } from "../../wire/query/force-filter.ts";
import { UsageError } from "./exit-codes.ts";

/** A token as it is asked for on the command line. */
export interface TokenWords {
  /** The text of the key that signs. */
  readonly key: string;
  readonly namespace: string;
  /** JSON. */
  readonly filter: string;
  /** A duration. */
  readonly expires: string;
}

/** Signs a token that is good from `nowMs` on. Throws `UsageError` for what no server would take. */
export function signQueryToken(words: TokenWords, nowMs: number): string {
  const { key, namespace, filter, expires } = words;
  const fault = namespaceNameFault(namespace);
  if (fault !== undefined) throw new UsageError(`--namespace: ${fault}`);
  const ms = parseDuration(expires);
  if (ms === undefined || ms <= 0 || ms > TOKEN_MS_MAX) {
    const most = `at most ${TOKEN_MS_MAX / 86_400_000}d`;
    throw new UsageError(`--expires: ${expires} is not ${DURATION_FORM}, and ${most}`);
  }
  try {
    parseForcedFilter(filter);
    return signToken(key, { namespace, filter, expiresAtMs: nowMs + ms });
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`--filter: ${error.message}`);
    throw error;
  }
}
