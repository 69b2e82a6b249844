import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import type { QueryService } from "./query-service.ts";

/**
 * The port of a service of queries on this thread, as if it were on another one; but nothing waits,
 * and nothing is copied: what the service keeps of a message it copies when it hears it. `close` is
 * called at the end.
 */
export function ownPort(
  start: (post: (message: FromQueryThread) => void) => Pick<QueryService, "onMessage">,
  close: () => void = () => {},
): ThreadPort<ToQueryThread, FromQueryThread> {
  let onMessage: (message: FromQueryThread) => void = () => {};
  const service = start((message) => onMessage(message));
  return {
    post: (message) => service.onMessage(message),
    listen: (listener) => {
      onMessage = listener;
    },
    terminate: async () => close(),
  };
}
