/** Who a request is of, as answers show it: so that a program can leave out what would be refused. */

import { formatTime } from "../base/clock.ts";
import { EVERY_NAMESPACE } from "../model/namespace-pattern.ts";
import { KEY_ACTIONS } from "./api-key.ts";
import type { Caller } from "./caller.ts";

/**
 * What a caller may do, and where; never a part of its secret but the last four characters, which
 * listings show, too. Without keys everybody may do everything, but `admin` is for this machine.
 */
export function callerJson(caller: Caller, isLocal: boolean): Readonly<Record<string, unknown>> {
  switch (caller.kind) {
    case "anyone":
      return {
        kind: "anyone",
        actions: KEY_ACTIONS.filter((action) => isLocal || action !== "admin"),
        namespaces: [EVERY_NAMESPACE],
      };
    case "key": {
      const { name, lastFour, actions, namespaces, expiresAtMs } = caller.key;
      return {
        kind: "key",
        name,
        last_four: lastFour,
        actions: actions.includes("admin") ? KEY_ACTIONS : actions,
        namespaces,
        expires_at: expiresAtMs === undefined ? null : formatTime(expiresAtMs),
      };
    }
    case "token":
      // A token queries one namespace, and does nothing else.
      return { kind: "token", actions: ["query"], namespaces: [caller.token.namespace] };
  }
}
