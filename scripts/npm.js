/** npm, as the launcher calls it. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Oldest major version of npm that reads the lock file's format 3. */
const NPM_MAJOR_MIN = 8;

/**
 * Runs `npm ci` with `args` in `folder`, which has a lock file. `purpose` says what is installed
 * and why. Throws with advice if npm is missing, too old, or fails.
 */
export async function npmCi(folder, args, purpose) {
  console.error(`trawl: installing ${purpose} …`);
  const npm = npmCommand();
  checkNpm(npm);
  const all = [...npm.args, "ci", "--no-audit", "--no-fund", ...args];
  const code = await new Promise((resolve, reject) => {
    // npm's own output goes to stderr, so that stdout holds only what the command prints.
    const options = { cwd: folder, stdio: ["inherit", 2, 2], shell: npm.shell };
    const child = spawn(npm.program, all, options);
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

/** npm as it was called, else the one on the PATH. */
function npmCommand() {
  const script = process.env.npm_execpath;
  if (script !== undefined && /np[mx]-cli\.c?js$/.test(script) && existsSync(script)) {
    // The Node that runs npm, not the one of node_modules: npm ci deletes the latter.
    const node = process.env.npm_node_execpath || process.execPath;
    return { program: node, args: [script.replace(/npx(-cli\.c?js)$/, "npm$1")], shell: false };
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
  if (Number.parseInt(probe.stdout, 10) < NPM_MAJOR_MIN) {
    throw new Error(
      `npm ${probe.stdout.trim()} is too old, ${NPM_MAJOR_MIN} or newer is needed; ` +
        "`npm install --global npm@10` brings one",
    );
  }
}
