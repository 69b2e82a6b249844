import { spawnSync } from "node:child_process";

/**
 * Whether this machine can run a program, by trying it. Says so where it cannot: tests that need it
 * are then skipped.
 */
export function hasTool(program: string, args: readonly string[] = ["--version"]): boolean {
  const found = spawnSync(program, args).status === 0;
  if (!found) console.warn(`skipped: ${program} ${args.join(" ")} does not run here`);
  return found;
}
