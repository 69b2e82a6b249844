/**
 * `node build-docs.ts OUTPUT`: makes the pages of docs/ and of the reference, for browsers, in the
 * folder OUTPUT. Links that lead nowhere are told; they fail a test, but keep no server from its
 * start.
 */

import { fileURLToPath } from "node:url";
import { readSite } from "./docs/read-site.ts";
import { writeSite } from "./docs/write-site.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const site = readSite(ROOT);
for (const fault of site.faults) console.error(`trawl: ${fault}`);
await writeSite(ROOT, site, process.argv[2]);
