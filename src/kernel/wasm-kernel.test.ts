import { describe, expect, test } from "vitest";
import { testKernel } from "../../test/conformance/kernel.ts";
import { effort } from "../../test/support/effort.ts";
import { compileKernel, loadKernel, warmUpKernel } from "./load-kernel.ts";

const module = await compileKernel("auto");

describe("the WebAssembly kernel", () => {
  const share = effort({ usual: 1 / 8, full: 1 });
  testKernel({ load: (memory) => loadKernel(module, memory), share });

  test("is what the machine gets that can run it", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const kernel = loadKernel(module, memory);
    expect(kernel.name).toBe("wasm");
    expect(() => warmUpKernel(kernel, memory, 64)).not.toThrow();
  });

  test("writes nothing to its memory when it is loaded", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    new Uint8Array(memory.buffer).fill(7);
    loadKernel(module, memory);
    expect(new Uint8Array(memory.buffer).every((byte) => byte === 7)).toBe(true);
  });
});
