/** What the npm package says of itself and installs. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Lock,
  type Manifest,
  nodeFolder,
  publishedManifest,
  runtimeLock,
} from "../scripts/pack/published-files.ts";

const ROOT = new URL("..", import.meta.url);
const manifest = readJson<Manifest>("package.json");
const lock = readJson<Lock>("package-lock.json");

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, ROOT), "utf8")) as T;
}

test("the package bundles all that it needs, and has no scripts and no tools", () => {
  const published = publishedManifest(manifest);
  expect(published).toMatchObject({ name: "trawl", version: manifest.version, type: "module" });
  expect(published.bundleDependencies).toEqual(Object.keys(manifest.dependencies));
  for (const name of ["scripts", "devDependencies", "optionalDependencies", "private"]) {
    expect(published).not.toHaveProperty(name);
  }
});

test("what only ONNX models need is not bundled, and not installed by npm itself", () => {
  const published = publishedManifest(manifest);
  const peers = Object.keys(manifest.peerDependencies as object);
  expect(peers).toEqual(["@huggingface/tokenizers", "onnxruntime-web"]);
  expect(published.peerDependencies).toEqual(manifest.peerDependencies);
  expect(published.peerDependenciesMeta).toEqual(
    Object.fromEntries(peers.map((name) => [name, { optional: true }])),
  );
  for (const name of peers) {
    expect(published.bundleDependencies).not.toContain(name);
    expect(runtimeLock(manifest, lock).packages).not.toHaveProperty(`node_modules/${name}`);
  }
});

describe("what is bundled", () => {
  const { packages } = runtimeLock(manifest, lock);

  test("is locked in the clone's versions, with nothing of development and no Node", () => {
    for (const [path, entry] of Object.entries(packages)) {
      if (path === "") continue;
      expect(entry).toBe(lock.packages[path]);
      expect(entry.dev).toBeUndefined();
      expect(path).not.toMatch(/node_modules\/node-/);
    }
  });

  test("is complete: what a package of it asks for is there", () => {
    for (const entry of Object.values(packages)) {
      for (const name of Object.keys((entry.dependencies ?? {}) as object)) {
        expect(Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`))).toBe(
          true,
        );
      }
    }
  });
});

test("the folder of Node locks the clone's packages that carry it, and nothing else", () => {
  const node = nodeFolder(manifest, lock);
  expect(node.manifest).toMatchObject({ optionalDependencies: manifest.optionalDependencies });
  const { "": _root, ...packages } = node.lock.packages;
  expect(Object.keys(packages).sort()).toEqual(
    Object.keys(manifest.optionalDependencies)
      .map((name) => `node_modules/${name}`)
      .sort(),
  );
  for (const entry of Object.values(packages)) {
    expect(entry).toMatchObject({ optional: true, integrity: expect.stringMatching(/^sha512-/) });
  }
});
