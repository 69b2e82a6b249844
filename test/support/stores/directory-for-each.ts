import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Gives each test of a file a path below a directory of its own; nothing is there yet. */
export function directoryForEach(below: string, take: (path: string) => void): void {
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const directory = await temporaryDirectory();
    take(join(directory.path, below));
    remove = directory.remove;
  });
  afterEach(() => remove());
}
