import { KeyRing } from "../access/key-ring.ts";
import { KeyStore } from "../access/key-store.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import { openStoreAccess } from "../storage/open-store-access.ts";
import type { ServerConfig } from "./settings/server-config.ts";

/**
 * Opens the API keys of a server's store, which the engine has made ready. They are not encrypted,
 * and no disk cache keeps them.
 */
export async function openKeys(
  { engine, apiKey: bootstrapKey }: Pick<ServerConfig, "engine" | "apiKey">,
  log: StructuredLog,
): Promise<KeyRing> {
  const [clock, random] = [systemClock, systemRandom];
  const config = { store: engine.store };
  const { access } = await openStoreAccess(config, { clock, random, onDiskFault: () => {} });
  const store = new KeyStore({ store: access.store, random, log });
  const ring = new KeyRing({ store, clock, log, bootstrapKey });
  await ring.open();
  return ring;
}
