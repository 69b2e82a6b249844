/** What the server prints to stdout once it listens. */

import { type StoreConfig, storeName } from "../storage/store-config.ts";
import type { ServerConfig } from "./settings/server-config.ts";

/** Facts of the banner that are known only after the start. */
export interface Started {
  readonly version: string;
  /** URL under which this server listens. */
  readonly address: string;
  /** Requests need a key. */
  readonly isLocked: boolean;
  /** Paths of the pages that are served, such as `/console`. */
  readonly pages: readonly string[];
}

/**
 * Renders the banner. Its last lines are the environment of the official SDKs, ready to be copied;
 * the key itself is never printed.
 */
export function banner(
  config: ServerConfig,
  { version, address, isLocked, pages }: Started,
): string {
  const auth = isLocked
    ? "on: requests need an API key"
    : "off: all requests but those of web pages are allowed (set --api-key to change that)";
  return [
    `Trawl ${version}`,
    `  address         ${address}`,
    ...pages.map((path) => `  ${path.slice(1).padEnd(16)}${reachable(address)}${path}/`),
    ...storageLines(config.engine.store),
    `  authentication  ${auth}`,
    "",
    "  for the SDK:",
    `    export TURBOPUFFER_BASE_URL=${reachable(address)}`,
    // The clients refuse to start without a key, even where the server wants none.
    `    export TURBOPUFFER_API_KEY=${isLocked ? "<the API key>" : "unused"}`,
    "",
    "",
  ].join("\n");
}

function storageLines(store: StoreConfig): readonly string[] {
  if (store.kind === "s3") {
    return [
      `  storage         ${storeName(store)}`,
      "                  every write is in the bucket before it is acknowledged",
    ];
  }
  return [
    `  data directory  ${store.root}`,
    "  storage         local directory, every write on disk before it is acknowledged",
  ];
}

/** A wildcard address is no place to connect to; clients on this machine use the loopback one. */
function reachable(address: string): string {
  return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
