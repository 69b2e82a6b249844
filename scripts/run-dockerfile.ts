/**
 * `node scripts/run.js exec scripts/run-dockerfile.ts`: what deploy/Dockerfile says, without a
 * builder. Runs its steps in a temporary folder, starts the result as its user, and looks whether
 * it refuses to be reached without a key, answers, is healthy, and stops.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandOf, parseDockerfile } from "./image/dockerfile.ts";
import { buildImageFolder, hostPath, type ImageFolder } from "./image/image-folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/**
 * The base image, and what its packages take when they are installed by Debian 12's package index
 * for amd64 (`apt-cache show`, `Installed-Size` in KiB): libc6 13001, libssl3 6042,
 * libstdc++6 2686, tzdata 2571, ca-certificates 388, base-files 341, libgomp1 312, libgcc-s1 140,
 * gcc-12-base 100, media-types 92, netbase 36. Those are the packages of the image by
 * https://github.com/GoogleContainerTools/distroless (base/, cc/), which leaves documents out.
 */
const BASE_IMAGE = { name: "gcr.io/distroless/cc-debian12", bytes: 25_709 * 1024 };
/** What an image may have, uncompressed. */
const IMAGE_BYTES_MAX = 250_000_000;
const KEY = "key-of-the-trial";
/** How often the server is asked whether it is there yet, and how long between. */
const ASKED_TIMES_MAX = 300;
const ASKED_MS = 200;

const folder = mkdtempSync(join(tmpdir(), "trawl-image-"));
let server: ChildProcess | undefined;

async function main(): Promise<void> {
  // Its user must be able to come in.
  chmodSync(folder, 0o755);
  const stages = parseDockerfile(readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8"));
  const base = stages.at(-1)?.base;
  check(base === BASE_IMAGE.name, `nobody has looked up how many bytes ${base} has`);
  const image = buildImageFolder({
    stages,
    folder,
    copyContext,
    tell: (line) => console.log(line),
  });
  const added = bytesBelow(image.root);
  const bytes = BASE_IMAGE.bytes + added;
  console.log(`the steps add ${added} bytes to the ${BASE_IMAGE.bytes} of ${base}: ${bytes}`);
  check(bytes <= IMAGE_BYTES_MAX, `that is more than the ${IMAGE_BYTES_MAX} bytes of an image`);
  check(image.user !== undefined && image.user[0] > 0, "USER must be another one than root");
  await checkRefusal(image);
  await checkService(image, await freePort());
}

/** All that is tracked, and nothing that was built here. */
function copyContext(to: string): void {
  mkdirSync(to, { recursive: true });
  const pipe = 'git ls-files -z | tar -c --null --files-from - | tar -x -C "$1"';
  const result = spawnSync("sh", ["-c", pipe, "sh", to], { cwd: ROOT, encoding: "utf8" });
  check(result.status === 0, `the project's files cannot be copied: ${result.stderr}`);
}

/** Without a key it may not be reached from elsewhere, and says what to do. */
async function checkRefusal(image: ImageFolder): Promise<void> {
  const child = start(image, image.command, {});
  const output = collect(child);
  const [code] = await once(child, "close");
  check(code === 1 && output().includes("TRAWL_API_KEY"), `without a key: ${code}: ${output()}`);
  console.log("without a key it refuses to start");
}

async function checkService(image: ImageFolder, port: number): Promise<void> {
  const settings = {
    TRAWL_API_KEY: KEY,
    TRAWL_PORT: String(port),
    TRAWL_HOST: "127.0.0.1",
    TRAWL_DRAIN_DELAY: "0s",
  };
  server = start(image, image.command, settings);
  const output = collect(server);
  const url = `http://127.0.0.1:${port}`;
  let isHealthy = false;
  for (let asked = 0; asked < ASKED_TIMES_MAX && server.exitCode === null; asked++) {
    isHealthy = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) break;
    await new Promise((resolve) => setTimeout(resolve, ASKED_MS));
  }
  check(isHealthy, `the server does not answer:\n${output()}`);
  console.log("/healthz answers");
  if (image.healthcheck === undefined) throw new Error("the Dockerfile has no HEALTHCHECK");
  const [code] = await once(start(image, commandOf(image.healthcheck), settings), "close");
  check(code === 0, `HEALTHCHECK ends with ${code}`);
  const headers = { authorization: `Bearer ${KEY}` };
  const written = await fetch(`${url}/v2/namespaces/trial`, {
    method: "POST",
    headers,
    body: JSON.stringify({ upsert_rows: [{ id: 1 }] }),
  });
  check(written.ok, `a write answers ${written.status}: ${await written.text()}`);
  server.kill("SIGTERM");
  const [stopped] = await once(server, "close");
  check(stopped === 0, `after SIGTERM it ends with ${stopped}:\n${output()}`);
  console.log("it is healthy, stores, and stops");
}

/** Starts a command of the image as its user, with its paths below the image's folder. */
function start(
  image: ImageFolder,
  [program, ...args]: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  const inFolder = (text: string) => (text.startsWith("/") ? hostPath(image, text) : text);
  const own = Object.entries({ ...image.environment, ...settings });
  const [uid, gid] = image.user ?? [];
  const isRoot = process.getuid?.() === 0;
  return spawn(hostPath(image, `/usr/local/bin/${program}`), args.map(inFolder), {
    cwd: hostPath(image, image.workingDirectory),
    env: Object.fromEntries(own.map(([name, value]) => [name, inFolder(value)])),
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot && { uid, gid }),
  });
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  return () => text;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

function bytesBelow(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** Ends the server, removes what was made, and exits. */
async function leave(code: number): Promise<void> {
  if (server?.pid !== undefined && server.exitCode === null && server.signalCode === null) {
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    // Until it is gone it may still create files.
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

process.on("uncaughtException", (error) => {
  console.error(error);
  void leave(1);
});
main().then(
  () => leave(0),
  (error: Error) => {
    console.error(`the image is not as it should be: ${error.message}`);
    return leave(1);
  },
);
