/** Who makes a request, and whether it may: pure decisions over what is known already. */

import { formatTime } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { EVERY_NAMESPACE, fitEverything, fitsPatterns } from "../model/namespace-pattern.ts";
import type { RequestScope } from "../model/request-scope.ts";
import { type ApiKey, KEY_ACTIONS, type KeyAction, shownKey } from "./api-key.ts";
import type { QueryToken } from "./query-token.ts";

/** Who makes a request. */
export type Caller =
  /** There is no key, and so nobody needs one. */
  | { readonly kind: "anyone" }
  | { readonly kind: "key"; readonly key: ApiKey }
  /** A token that `key` has signed. */
  | { readonly kind: "token"; readonly key: ApiKey; readonly token: QueryToken };

/** What a request needs. */
export interface Need {
  /** Any of these is enough; `admin` always is. */
  readonly actions: readonly KeyAction[];
  /** What of: one namespace, every namespace, or those that the key has, whichever they are. */
  readonly namespaces:
    | { readonly kind: "one"; readonly name: string }
    | { readonly kind: "every" }
    | { readonly kind: "own" };
  /** What is wanted, as messages say it. */
  readonly what: string;
  /** A query, which tokens may make. */
  readonly isQuery: boolean;
}

/**
 * What the request may see; undefined: everything. Throws `forbidden`, naming the action or the
 * namespace that the key lacks.
 */
export function authorize(caller: Caller, need: Need): RequestScope | undefined {
  if (caller.kind === "anyone") return undefined;
  if (caller.kind === "token") return tokenScope(caller.token, caller.key, need);
  const { key } = caller;
  checkKey(key, need);
  if (fitEverything(key.namespaces) && allows(key, ["read"])) return undefined;
  return {
    holder: shownKey(key),
    visible: key.namespaces,
    readable: allows(key, ["read"]) ? key.namespaces : [],
  };
}

/** Tells whether a key has one of the actions. */
function allows({ actions }: ApiKey, wanted: readonly KeyAction[]): boolean {
  return actions.includes("admin") || wanted.some((action) => actions.includes(action));
}

function checkKey(key: ApiKey, need: Need): void {
  const missing = quoted(need.actions, " or ");
  if (!allows(key, need.actions)) {
    throw new DatabaseError(
      "forbidden",
      `the ${shownKey(key)} lacks the action ${missing}, which is needed ${need.what}; it has ` +
        quoted(key.actions, ", "),
    );
  }
  const { namespaces } = need;
  const fits =
    namespaces.kind === "own" ||
    (namespaces.kind === "one"
      ? fitsPatterns(key.namespaces, namespaces.name)
      : fitEverything(key.namespaces));
  if (fits) return;
  const where = namespaces.kind === "one" ? `namespace '${namespaces.name}'` : "every namespace";
  throw new DatabaseError(
    "forbidden",
    `the ${shownKey(key)} lacks the action ${missing} on ${where}, which is needed ${need.what}; ` +
      `its namespaces are ${key.namespaces.join(", ")}`,
  );
}

function tokenScope(token: QueryToken, key: ApiKey, need: Need): RequestScope {
  const { namespaces } = need;
  const isOwn = namespaces.kind === "one" && namespaces.name === token.namespace;
  if (!need.isQuery) {
    throw new DatabaseError(
      "forbidden",
      `a token may only query: a key with ${quoted(need.actions, " or ")} is needed ${need.what}`,
    );
  }
  if (!isOwn) {
    throw new DatabaseError(
      "forbidden",
      `the token is for queries of namespace '${token.namespace}' alone`,
    );
  }
  // A token can do no more than the key that signed it.
  checkKey(key, need);
  const { namespace, filter } = token;
  const holder = `token of the ${shownKey(key)}`;
  return { holder, visible: [namespace], readable: [namespace], forcedFilter: filter };
}

function quoted(actions: readonly KeyAction[], separator: string): string {
  return actions.map((action) => `\`${action}\``).join(separator);
}

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
