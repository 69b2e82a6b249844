import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadOnnxPackages, ONNX_INSTALL_COMMAND } from "./onnx-packages.ts";

const MANIFEST = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as Record<string, Record<string, string>>;

const INSTALLED = {
  runtime: () => import("onnxruntime-web"),
  tokenizers: () => import("@huggingface/tokenizers"),
};

test("a package that is not installed is named, with the command that brings it", async () => {
  const missing = Object.assign(new Error("Cannot find package"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  const absent = () => Promise.reject(missing);
  for (const [imports, name] of [
    [{ ...INSTALLED, runtime: absent }, "onnxruntime-web"],
    [{ ...INSTALLED, tokenizers: absent }, "@huggingface/tokenizers"],
  ] as const) {
    await expect(loadOnnxPackages(imports)).rejects.toMatchObject({
      code: "invalid",
      message:
        `--onnx-models needs the package ${name}, which is not installed: run ` +
        "`npm install onnxruntime-web@1.30 @huggingface/tokenizers@0.2` in the folder that Trawl " +
        "is installed in, or with --global where Trawl was",
    });
  }
});

test("a package that is damaged is another fault", async () => {
  const broken = () => Promise.reject(new SyntaxError("Unexpected end of input"));
  await expect(loadOnnxPackages({ ...INSTALLED, runtime: broken })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("onnxruntime-web cannot be loaded (Unexpected end of input)"),
  });
});

test("the command brings the versions that the package takes and that were tried", () => {
  const { peerDependencies, devDependencies, dependencies } = MANIFEST;
  for (const [name, range] of Object.entries(peerDependencies)) {
    const tried = devDependencies[name];
    expect(range).toBe(`^${tried}`);
    expect(ONNX_INSTALL_COMMAND).toContain(` ${name}@${tried.replace(/\.\d+$/, "")}`);
    expect(dependencies).not.toHaveProperty(name);
    expect(MANIFEST.peerDependenciesMeta[name]).toEqual({ optional: true });
  }
  expect(Object.keys(peerDependencies)).toHaveLength(2);
});
