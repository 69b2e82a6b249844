/**
 * Loads the module that the first argument names, as an old Node would: `process.version` is that
 * of line 20. Calls `openTrawl` if the module exports it. Prints the files and modules of Node that
 * were loaded, and the error, as one line of JSON.
 */

import { registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [, , entry] = process.argv;
const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url.startsWith("file:") ? relative(".", fileURLToPath(url)) : url);
    return nextLoad(url, context);
  },
});
// The version of the process itself cannot be changed.
globalThis.process = Object.create(process, { version: { value: "v20.19.0" } });

const { openTrawl } = await import(pathToFileURL(entry).href);
const error = await openTrawl?.().catch((reason: Error) => reason);
const { name, status, message } = error ?? {};
console.log(JSON.stringify({ loaded, ...(error !== undefined && { name, status, message }) }));
