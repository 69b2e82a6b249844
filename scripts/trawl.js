#!/usr/bin/env node
// What `npx trawl` and an installed `trawl` run. A clone has sources, and its launcher brings what
// is missing up to date first; an installed package is complete but for Node.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchNode } from "./find-node.js";
import { followParent } from "./node-process.js";
import { exitWith, startProgram } from "./start-program.js";

const self = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));

if (existsSync(join(root, "src"))) {
  process.argv.splice(2, 0, "trawl");
  await import("./run.js");
} else {
  followParent();
  const selfArgs = process.argv.slice(2);
  const provideNode = () => fetchNode(join(root, "node"));
  exitWith(startProgram(root, selfArgs, { self, selfArgs, provideNode }));
}
