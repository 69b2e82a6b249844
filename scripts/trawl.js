#!/usr/bin/env node
// What `npx trawl` and a linked `trawl` run: the launcher with the command line program.
process.argv.splice(2, 0, "trawl");
await import("./run.js");
