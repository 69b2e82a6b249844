import { expect, test } from "vitest";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import { planOnnxMemory } from "./onnx-memory.ts";

const RUNTIME_BYTES = 128 * MIB;
const model = (name: string, mib: number) => {
  return { name, path: `/${name}`, modelBytes: mib * MIB, tokenizerBytes: MIB };
};

test("models have half of the memory, the runtime once and each its own", () => {
  const { bytes, plannedBytes, bytesMax } = planOnnxMemory([model("a", 20), model("b", 10)], GIB);
  expect([...bytes.keys()]).toEqual(["runtime", "a", "b"]);
  expect(bytes.get("runtime")).toBe(RUNTIME_BYTES);
  expect(bytes.get("a")).toBeGreaterThan(4 * 20 * MIB);
  expect(plannedBytes).toBe([...bytes.values()].reduce((sum, one) => sum + one, 0));
  expect(bytesMax).toBe(GIB / 2);
});

test("one without room is refused, with what would make some", () => {
  const { bytes } = planOnnxMemory([model("a", 20)], GIB);
  const planned = RUNTIME_BYTES + (bytes.get("a") ?? 0);
  expect(planOnnxMemory([model("a", 20)], 2 * planned).plannedBytes).toBe(planned);
  expect(() => planOnnxMemory([model("a", 20)], 2 * planned - 2)).toThrow(
    /^ONNX model a \(\/a\) takes .* and the runtime .* 128\.0 MiB; ONNX models may have .*, 50 % of --memory-limit \(.*\): raise it to .*, take a quantized export, or leave a model out of/,
  );
  expect(() => planOnnxMemory([model("a", 20), model("b", 80)], GIB / 2)).toThrow(
    /^ONNX model b .* and the runtime and models before it /,
  );
});
