import { expect, test } from "vitest";
import type { NamespaceMetadata } from "../../api/namespaces.ts";
import { MetadataLoader } from "./metadata-loader.ts";

function fixture() {
  const asked: string[] = [];
  const pending: ((error?: Error) => Promise<void>)[] = [];
  let changeCount = 0;
  const read = (name: string): Promise<NamespaceMetadata> => {
    asked.push(name);
    const { promise, resolve, reject } = Promise.withResolvers<NamespaceMetadata>();
    pending.push(async (error) => {
      if (error === undefined) resolve({ approx_row_count: 1 } as NamespaceMetadata);
      else reject(error);
      await promise.catch(() => {});
      await Promise.resolve();
    });
    return promise;
  };
  const loader = new MetadataLoader(read, () => changeCount++);
  return { loader, asked, pending, changes: () => changeCount };
}

test("four are asked for at once, each once, the others as those are answered", async () => {
  const { loader, asked, pending, changes } = fixture();
  loader.want(["a", "b", "c", "d", "e", "f"]);
  loader.want(["a", "b", "c", "d", "e", "f"]);
  expect(asked).toEqual(["a", "b", "c", "d"]);
  await pending[0]();
  expect([asked.at(-1), changes()]).toEqual(["e", 1]);
  expect(loader.get("a")).toMatchObject({ kind: "known" });
  expect(loader.get("b")).toBeUndefined();
});

test("what is out of sight before its turn is not asked for", async () => {
  const { loader, asked, pending } = fixture();
  loader.want(["a", "b", "c", "d", "e"]);
  loader.want(["x"]);
  await pending[0]();
  expect(asked).toEqual(["a", "b", "c", "d", "x"]);
});

test("a refusal is known, too, and nothing is asked for after the end", async () => {
  const { loader, asked, pending } = fixture();
  loader.want(["a"]);
  await pending[0](new Error("forbidden"));
  expect(loader.get("a")).toEqual({ kind: "failed", reason: "forbidden" });
  loader.close();
  loader.want(["b"]);
  expect(asked).toEqual(["a"]);
});
