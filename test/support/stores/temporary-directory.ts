import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes an empty directory; `remove` deletes it with all that it holds then. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "trawl-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
