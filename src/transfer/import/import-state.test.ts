import { expect, test } from "vitest";
import {
  decodeImportState,
  encodeImportState,
  type ImportState,
  stateConflict,
} from "./import-state.ts";

const STATE: ImportState = {
  settings: { "--namespace": "books", "--id": "" },
  files: [{ name: "a.csv", fingerprint: "aa" }],
  position: { file: 0, rowsBefore: 0, rows: 5_000_000_000, line: 5_000_000_002, offset: 2 ** 40 },
  rows: 4_999_999_999,
  rejected: 1,
  bytes: 2 ** 41,
  rejectsBytes: 120,
};

test("a state is read back as it was written", () => {
  expect(decodeImportState(encodeImportState(STATE))).toEqual(STATE);
});

test("every changed or missing byte is found", () => {
  const text = encodeImportState(STATE);
  for (let i = 0; i < text.length; i++) {
    const changed = text.slice(0, i) + (text[i] === "0" ? "1" : "0") + text.slice(i + 1);
    expect(decodeImportState(changed), `byte ${i}`).toBeTypeOf("string");
    expect(decodeImportState(text.slice(0, i)), `cut at ${i}`).toBeTypeOf("string");
  }
});

test("a state of a newer version is named", () => {
  const newer = encodeImportState(STATE).replace('"version":1', '"version":2');
  expect(decodeImportState(newer)).toBe("is of version 2, not 1");
});

test("other settings and files are no continuation", () => {
  const { settings, files } = STATE;
  expect(stateConflict(STATE, settings, files)).toBe(undefined);
  expect(stateConflict(STATE, { ...settings, "--id": "sku" }, files)).toBe(
    '--id was "" and is "sku"',
  );
  expect(stateConflict(STATE, settings, [{ name: "b.csv", fingerprint: "aa" }])).toBe(
    "the files were a.csv and are b.csv",
  );
  expect(stateConflict(STATE, settings, [{ name: "a.csv", fingerprint: "bb" }])).toBe(
    "a.csv has changed since",
  );
});
