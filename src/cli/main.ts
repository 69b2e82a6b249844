/**
 * The program `trawl`. Every Node from 18 on can load this file; the commands are loaded once the
 * version is checked, because their modules import what an old Node does not have.
 */

import { nodeVersionFault } from "../base/node-version.ts";
import { EXIT } from "./commands/exit-codes.ts";

const fault = nodeVersionFault(process.version);
if (fault === undefined) {
  const { runProgram } = await import("./run-program.ts");
  runProgram();
} else {
  const fix = "install one from https://nodejs.org, or run npx trawl, which brings one";
  process.stderr.write(`trawl: ${fault}; ${fix}\n`);
  process.exitCode = EXIT.failed;
}
