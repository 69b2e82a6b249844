/** The launcher behind the npm scripts: when it installs, and what it passes through. */

import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Lock, type Manifest, nodeFolder } from "../scripts/pack/published-files.ts";
import { productEnvironment } from "./support/processes/environment.ts";
import { temporaryDirectory } from "./support/stores/temporary-directory.ts";

interface Tree {
  readonly packages: Readonly<Record<string, object>>;
}

interface Install {
  readonly whyStale: (locked?: Tree, installed?: Tree, withTools?: boolean) => string | undefined;
}

interface FindNode {
  readonly isNewEnough: (version: string) => boolean;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { whyStale } = await script<Install>("install.js");
const { isNewEnough } = await script<FindNode>("find-node.js");

/** The launcher's scripts are JavaScript without types. */
async function script<T>(name: string): Promise<T> {
  return (await import(new URL(`../scripts/${name}`, import.meta.url).href)) as T;
}

async function projectJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../${name}.json`, import.meta.url), "utf8")) as T;
}

function tree(packages: Record<string, object>): Tree {
  return { packages };
}

describe("dependencies are installed", () => {
  const locked = tree({
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/other-system": { version: "1.0.0", optional: true },
    "node_modules/tool": { version: "1.0.0", dev: true },
  });

  test("when there are none", () => {
    expect(whyStale(locked, undefined)).toBe("node_modules is missing");
  });

  test("when one is missing or of another version, at any depth", () => {
    expect(whyStale(locked, tree({}))).toBe("a is missing");
    const old = tree({ "node_modules/a": { version: "0.9.0" } });
    expect(whyStale(locked, old)).toBe("a is 0.9.0, locked is 1.0.0");
    const nested = tree({ "node_modules/a/node_modules/@b/c": { version: "2.0.0" } });
    expect(whyStale(nested, tree({}))).toBe("@b/c is missing");
  });

  test("but not for packages of other systems, and for tools only where they are used", () => {
    const present = tree({ "node_modules/a": { version: "1.0.0" } });
    expect(whyStale(locked, present, false)).toBeUndefined();
    expect(whyStale(locked, present, true)).toBe("tool is missing");
  });

  test("when a tool of development is of another version", () => {
    const tool = { version: "0.9.0" };
    const present = tree({ "node_modules/a": { version: "1.0.0" }, "node_modules/tool": tool });
    expect(whyStale(locked, present, false)).toBe("tool is 0.9.0, locked is 1.0.0");
  });

  test("and not without a lock file, which is an error", () => {
    expect(() => whyStale(undefined, undefined)).toThrow("restore it from git");
  });
});

test("every Node that the dependencies bring is new enough", async () => {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  const { optionalDependencies } = JSON.parse(manifest) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const versions = Object.entries(optionalDependencies).filter(([name]) => /^node-/.test(name));
  expect(versions.length).toBe(5);
  expect(versions.filter(([, version]) => !isNewEnough(version))).toEqual([]);
});

test("a Node that npm could not fetch is reported, and leaves nothing behind", async () => {
  const { path, remove } = await temporaryDirectory();
  const node = nodeFolder(
    await projectJson<Manifest>("package"),
    await projectJson<Lock>("package-lock"),
  );
  await writeFile(join(path, "package.json"), JSON.stringify(node.manifest));
  await writeFile(join(path, "package-lock.json"), JSON.stringify(node.lock));
  const from = "./scripts/find-node.js";
  const call = `import { fetchNode } from "${from}"; await fetchNode(process.argv[1])`;
  const env = {
    ...process.env,
    // No service listens there, and an empty cache has no package either.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
    npm_config_cache: join(path, "cache"),
  };
  const args = ["--input-type=module", "--eval", call, path];
  const { stderr, status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/Install one from .*A newer one could not be fetched: npm did not get/);
  // Files left there would make the next start fail.
  expect(existsSync(join(path, "node_modules"))).toBe(false);
  await remove();
});

describe("a command's", () => {
  test("signals and exit code are passed through", async () => {
    const { child, ended, printed } = launch([
      "exec",
      "test/support/processes/await-signal.ts",
      "7",
    ]);
    await printed("waiting");
    child.kill("SIGTERM");
    expect(await ended).toBe(7);
  });

  test("process ends with the shell that npm put before it", async () => {
    const program = "test/support/processes/await-signal.ts";
    const script = `"${process.execPath}" scripts/run.js exec ${program} 7; true`;
    const env = { ...process.env, npm_lifecycle_event: "start" };
    const shell = spawn("sh", ["-c", script], { cwd: ROOT, env });
    const printed = new Promise<void>((resolve) => shell.stdout.once("data", () => resolve()));
    const closed = new Promise<void>((resolve) => shell.stdout.once("close", () => resolve()));
    await printed;
    shell.kill("SIGTERM");
    // The pipe closes when the last process that holds it is gone.
    await closed;
  });

  test.runIf(process.platform === "linux")(
    "process is the server's, started again as its memory wants it",
    async () => {
      const { path, remove } = await temporaryDirectory();
      const { child, ended, printed } = launch(["serve", "--port", "0", "--data-dir", path]);
      await printed("address");
      const environment = await readFile(`/proc/${child.pid}/environ`, "utf8");
      expect(environment.split("\0")).toContain("MALLOC_ARENA_MAX=2");
      const started = await readFile(`/proc/${child.pid}/cmdline`, "utf8");
      expect(started.split("\0")).toContain("--max-semi-space-size=8");
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      await remove();
    },
  );

  test("unknown name is refused with the names that there are", async () => {
    const { ended, stderr } = launch(["strat"]);
    expect(await ended).toBe(1);
    expect(stderr()).toMatch(/unknown command strat; commands are build, serve, /);
  });
});

function launch(args: readonly string[]) {
  const env = { ...productEnvironment(), TRAWL_DRAIN_DELAY: "0s" };
  const child = spawn(process.execPath, ["scripts/run.js", ...args], { cwd: ROOT, env });
  let out = "";
  let errors = "";
  const seen = new EventEmitter();
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
    seen.emit("more");
  });
  child.stderr.on("data", (chunk) => {
    errors += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  /** Waits for a text on stdout; a loop that looks for it takes a core from the program. */
  const printed = async (text: string) => {
    while (!out.includes(text)) await once(seen, "more");
  };
  return { child, ended, printed, stderr: () => errors };
}
