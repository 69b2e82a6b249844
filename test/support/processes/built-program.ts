import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The program as users run it. `test/support/build-program.ts` brings it up to date. */
export const BUILT_PROGRAM = builtProgram(ROOT);

/** The program of a checkout that is built. */
export function builtProgram(checkout: string): string {
  return join(checkout, "dist/cli/main.js");
}
