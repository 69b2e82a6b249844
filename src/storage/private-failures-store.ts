import { DatabaseError, type ErrorCode } from "../base/errors.ts";
import { StoreDecorator, type StoreRequestName } from "./store-decorator.ts";

/** Messages for clients if a store fails. Messages of stores name buckets, addresses and paths. */
const CLIENT_MESSAGES: Partial<Readonly<Record<ErrorCode, string>>> = {
  overloaded: "💔 the object store asks for fewer requests; retry later",
};
const CLIENT_MESSAGE = "the object store fails or does not answer; retry later";
/** Damage: these messages name an object by its key, and that is for clients, too. */
const FOR_CLIENTS: ReadonlySet<ErrorCode> = new Set(["corrupt", "too_new", "too_old"]);

/**
 * Adds a message for clients to each error that a store throws, so that only operators read the
 * original message. So no store can reveal its location to clients.
 */
export class PrivateFailuresStore extends StoreDecorator {
  protected override async around<T>(
    _request: StoreRequestName,
    _target: string,
    send: () => Promise<T>,
  ): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw privateFailure(error);
    }
  }
}

/** The same error with what clients read of it, unless it says so itself. Bugs stay as they are. */
function privateFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.clientMessage !== undefined) return error;
  const { code, message, cause, retryAfterMs, stack } = error;
  if (FOR_CLIENTS.has(code)) return error;
  const clientMessage = CLIENT_MESSAGES[code] ?? CLIENT_MESSAGE;
  const same = new DatabaseError(code, message, {
    cause,
    clientMessage,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  if (stack !== undefined) same.stack = stack;
  return same;
}
