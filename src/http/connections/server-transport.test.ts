import { expect, test } from "vitest";
import { TLS_PAIRS } from "../../../test/support/servers/tls-pairs.ts";
import { IDLE_CONNECTION_MS_MAX, transportOf } from "./server-transport.ts";

test.each([
  ["plain", undefined],
  ["TLS", { pair: TLS_PAIRS[0] }],
])("a %s server announces less time than it keeps connections", (_, tls) => {
  const options = transportOf(tls as never, 1000) as Record<string, object> & {
    readonly keepAliveTimeout: number;
  };
  const { keepAliveTimeoutBuffer: buffer } = (options.https ?? options.http) as {
    readonly keepAliveTimeoutBuffer: number;
  };
  expect(options.keepAliveTimeout).toBeLessThanOrEqual(IDLE_CONNECTION_MS_MAX - 60_000);
  // Node's own timer ends a connection only if nothing else has.
  expect(options.keepAliveTimeout + buffer).toBeGreaterThan(IDLE_CONNECTION_MS_MAX);
});
