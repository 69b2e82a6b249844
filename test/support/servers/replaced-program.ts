/**
 * The program `trawl` with a `ReplacedConfig`, in JSON, as its first argument. The others are those
 * of `trawl`.
 */

import { runProgram } from "../../../src/cli/run-program.ts";
import { type ReplacedConfig, replaceConfig } from "./replaced-config.ts";

const [json] = process.argv.splice(2, 1);
const replaced: ReplacedConfig = JSON.parse(json);
runProgram((config) => replaceConfig(config, replaced));
