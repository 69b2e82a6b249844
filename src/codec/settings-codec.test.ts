import { expect, test } from "vitest";
import { faultOf } from "../../test/support/documents/loose-json.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import { decodeSettings } from "./settings-codec.ts";

const NEW: NamespaceSettings = {
  createdAtMs: 1,
  updatedAtMs: 1,
  readOnly: false,
  encryption: { kind: "default" },
};

test("settings survive JSON, and damage is corrupt", () => {
  const full: NamespaceSettings = {
    ...NEW,
    updatedAtMs: 2,
    lastWriteAtMs: 2,
    pinning: { replicas: 2, updatedAtMs: 3 },
    shardCount: 4,
    encryption: { kind: "customer_managed", keyName: "k" },
    parent: "p",
  };
  const key = { kind: "customer_managed", keyName: "k", context: { a: "1", b: "" } } as const;
  for (const settings of [NEW, full, { ...NEW, encryption: key }]) {
    expect(decodeSettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
  }
  const wrong = { ...NEW, encryption: { ...key, context: { a: 1 } } };
  for (const damaged of [null, [], { ...NEW, readOnly: 1 }, { ...NEW, encryption: {} }, wrong]) {
    expect(faultOf(() => decodeSettings(damaged)).code).toBe("corrupt");
  }
});
