import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { COMPILER_FLAGS } from "./compile-sooner.ts";

// A name that V8 does not know is passed over without a word.
test("this version of V8 knows the flags, and has other values by itself", () => {
  const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  for (const flag of COMPILER_FLAGS) {
    const [name, value] = flag.split("=");
    const own = new RegExp(`^ +${name} .*\\n.* default: ${name}=(\\d+)`, "m").exec(options)?.[1];
    expect(Number(own), flag).toBeGreaterThan(Number(value));
  }
});
