import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The indexer of a server that was killed ends a moment after it, and may still write. */
const PATIENCE = { maxRetries: 20, retryDelay: 100 };

/** Makes an empty directory; `remove` deletes it with all that it holds then. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "trawl-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, ...PATIENCE }) };
}
