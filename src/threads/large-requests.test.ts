import { expect, test } from "vitest";
import { MIB } from "../base/byte-sizes.ts";
import { LargeRequests } from "./large-requests.ts";

test("another thread sees large requests, and only these", () => {
  const ours = new LargeRequests();
  const theirs = new LargeRequests(ours.buffer);
  ours.note(4 * MIB - 1);
  expect(theirs.count).toBe(0);
  ours.note(4 * MIB);
  ours.note(500 * MIB);
  expect(theirs.count).toBe(2);
});
