import { KeyRing } from "../access/key-ring.ts";
import { KeyStore } from "../access/key-store.ts";
import type { EngineMetric } from "../api/engine.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import { openStoreAccess } from "../storage/access/open-store-access.ts";
import { objectStoreMetrics } from "../threads/object-store-metrics.ts";
import type { ServerConfig } from "./settings/server-config.ts";

/** The API keys of a server. */
export interface OpenedKeys {
  readonly ring: KeyRing;
  /** The requests for keys to the object store, for `/metrics`. */
  readonly metrics: () => readonly EngineMetric[];
}

/**
 * Opens the API keys of a server's store, which the engine has made ready. They are not encrypted,
 * and no disk cache keeps them.
 */
export async function openKeys(
  { engine, apiKey: bootstrapKey }: Pick<ServerConfig, "engine" | "apiKey">,
  log: StructuredLog,
): Promise<OpenedKeys> {
  const [clock, random] = [systemClock, systemRandom];
  const config = { store: engine.store };
  const { access } = await openStoreAccess(config, { clock, random, onDiskFault: () => {} });
  const store = new KeyStore({ store: access.store, random, log });
  const ring = new KeyRing({ store, clock, log, bootstrapKey });
  await ring.open();
  return { ring, metrics: () => objectStoreMetrics(access.counts(), "main") };
}
