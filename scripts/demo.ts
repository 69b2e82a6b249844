/**
 * `npm run demo`: starts a server in a temporary directory, loads the artworks of demo/, asks one
 * query of each kind through the official SDK, and leaves nothing behind.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Turbopuffer from "@turbopuffer/turbopuffer";
import { readArtworks } from "./demo/artworks.ts";
import { askInProcess, LIBRARY_CALL } from "./demo/ask-in-process.ts";
import { DemoServer } from "./demo/demo-server.ts";
import { loadArtworks, MODEL } from "./demo/load-artworks.ts";
import { Progress } from "./demo/progress.ts";
import { TOUR } from "./demo/query-tour.ts";
import { formatTable } from "./demo/table.ts";

const HELP = `usage: npm run demo

Starts a server of its own on a free port, with its data in a temporary directory. Loads 4,000
artworks (demo/README.md), shows one query of each kind with its answer, asks the same data as a
library, and deletes everything. It takes no options and needs no other server.
`;

const [word] = process.argv.slice(2);
if (word !== undefined) {
  const isHelp = word === "--help" || word === "-h";
  if (isHelp) process.stdout.write(HELP);
  else process.stderr.write(`demo: unknown argument ${word}\n\n${HELP}`);
  process.exit(isHelp ? 0 : 2);
}

const directory = mkdtempSync(join(tmpdir(), "trawl-demo-"));
const dataDir = join(directory, "data");
const server = new DemoServer(dataDir);
/** Settles when everything is removed; undefined while the demo runs. */
let left: Promise<void> | undefined;

for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
] as const) {
  process.on(signal, () => void leave(128 + number));
}
process.on("uncaughtException", (error) => void fail(error));
main().then(() => leave(0), fail);

/** Removes everything that the demo made, and exits. The first call decides the code. */
function leave(code: number): Promise<void> {
  left ??= server.kill().then(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(code);
  });
  return left;
}

function fail(error: Error): Promise<void> {
  // The requests under way fail, too, when the server ends.
  if (left === undefined) process.stderr.write(`\ndemo: ${error.message}\n${server.outputTail()}`);
  return leave(1);
}

async function main(): Promise<void> {
  const url = await server.start();
  say(`Trawl listens on ${url} with its data in ${directory}.`);
  const client = new Turbopuffer({ baseURL: url, apiKey: "unused" });
  const namespace = client.namespace("artworks");

  const artworks = await readArtworks();
  say(
    `\nLoading ${count(artworks.length)} artworks of the Tate collection (demo/README.md), 30 per`,
  );
  say(
    `write because the server embeds their subjects itself, with the offline model "${MODEL}":\n`,
  );
  const progress = new Progress(process.stdout, artworks.length);
  const startMs = performance.now();
  const loaded = await loadArtworks(namespace, artworks, (done) => progress.show(done));
  const seconds = (performance.now() - startMs) / 1000;
  progress.end();
  say(
    `${count(artworks.length)} documents are durable after ${seconds.toFixed(1)} s: ` +
      `${count(loaded.writes)} writes, ${count(loaded.tokens)} tokens embedded.`,
  );

  for (const stop of TOUR) {
    say(`\n${stop.title}\n${"─".repeat(stop.title.length)}\n${stop.note}`);
    say(`  ${stop.shown}\n`);
    const { columns, lines, milliseconds } = await stop.run(namespace);
    if (lines.length === 0) throw new Error(`"${stop.title}" found nothing`);
    say(formatTable(columns, lines));
    say(`  ${milliseconds} ms in the server`);
  }

  const stopped = await server.stop();
  if (stopped !== 0) throw new Error(`the server ended with code ${stopped}`);

  say("\nAs a library\n────────────\nThe server has stopped; the same data in this very process.");
  say(`  ${LIBRARY_CALL}\n`);
  const { columns, lines, milliseconds } = await askInProcess(dataDir);
  if (lines.length === 0) throw new Error("the library found nothing");
  say(formatTable(columns, lines));
  say(`  ${milliseconds} ms in the library`);
  say("\nThe data is deleted. Start your own server with: npm start");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
