import { describe, expect, test } from "vitest";
import { testKernel } from "../../test/conformance/kernel.ts";
import { effort } from "../../test/support/effort.ts";
import { compileKernel, loadKernel } from "./load-kernel.ts";

const module = await compileKernel("scalar");

describe("the scalar kernel", () => {
  const share = effort({ usual: 1 / 8, full: 1 });
  testKernel({ load: (memory) => loadKernel(module, memory), share });

  test("is what one gets who asks for it", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    expect(loadKernel(module, memory).name).toBe("scalar");
  });
});
