import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import type { QueryService } from "./query-service.ts";

/** What a service on this thread is made of. */
export interface OwnPortOptions {
  start(post: (message: FromQueryThread) => void): Pick<QueryService, "onMessage">;
  /** Hears of a message that the service could not take: what it knows may be wrong from then on. */
  onCrash(error: unknown): void;
  /** Called at the end. */
  close?(): void;
}

/**
 * The port of a service of queries on this thread, as if it were on another one; but nothing waits,
 * and nothing is copied: what the service keeps of a message it copies when it hears it.
 */
export function ownPort({
  start,
  onCrash,
  close,
}: OwnPortOptions): ThreadPort<ToQueryThread, FromQueryThread> {
  let onMessage: (message: FromQueryThread) => void = () => {};
  const service = start((message) => onMessage(message));
  return {
    post: (message) => {
      try {
        service.onMessage(message);
      } catch (error) {
        onCrash(error);
      }
    },
    listen: (listener) => {
      onMessage = listener;
    },
    terminate: async () => close?.(),
  };
}
