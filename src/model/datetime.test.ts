import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { formatDatetime, parseDatetime } from "./datetime.ts";

describe("parseDatetime", () => {
  test.each([
    ["1970-01-01", 0],
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2024-02-29T12:00", Date.UTC(2024, 1, 29, 12)],
    ["2000-02-29", Date.UTC(2000, 1, 29)],
    ["2026-01-31T15:04:05", Date.UTC(2026, 0, 31, 15, 4, 5)],
    ["2026-01-31 15:04:05", Date.UTC(2026, 0, 31, 15, 4, 5)],
    ["2026-01-31t15:04:05z", Date.UTC(2026, 0, 31, 15, 4, 5)],
    ["2026-01-31T15:04:05.6Z", Date.UTC(2026, 0, 31, 15, 4, 5, 600)],
    ["2026-01-31T15:04:05,678Z", Date.UTC(2026, 0, 31, 15, 4, 5, 678)],
    ["2026-01-31T15:04:05.678999999Z", Date.UTC(2026, 0, 31, 15, 4, 5, 678)],
    ["1969-12-31T23:59:59.9999Z", -1],
    ["2026-01-31T15:04:05+02:00", Date.UTC(2026, 0, 31, 13, 4, 5)],
    ["2026-01-31T15:04:05-0530", Date.UTC(2026, 0, 31, 20, 34, 5)],
    ["2026-01-31T15:04:05+02", Date.UTC(2026, 0, 31, 13, 4, 5)],
    ["2026-01-01T00:30+01:00", Date.UTC(2025, 11, 31, 23, 30)],
    ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1)],
    ["2017-01-01T05:29:60.250+05:30", Date.UTC(2017, 0, 1, 0, 0, 0, 250)],
    ["0000-01-01", -62_167_219_200_000],
    ["-0001-12-31T23:59:59Z", -62_167_219_201_000],
    ["20260131", Date.UTC(2026, 0, 31)],
    ["20260131T1504", Date.UTC(2026, 0, 31, 15, 4)],
    ["20260131T150405Z", Date.UTC(2026, 0, 31, 15, 4, 5)],
    ["20260131t150405.678-0530", Date.UTC(2026, 0, 31, 20, 34, 5, 678)],
    ["+010000-01-01", 253_402_300_800_000],
  ])("reads %s", (text, ms) => {
    expect(parseDatetime(text)).toBe(BigInt(ms));
  });

  test.each([
    ["", "expected ISO 8601"],
    ["yesterday", "expected ISO 8601"],
    ["2026", "expected ISO 8601"],
    ["15:04:05", "expected ISO 8601"],
    ["20260131T15:04", "no colons"],
    ["2026013", "expected ISO 8601"],
    ["20261301", "month 13 is not in 01..12"],
    ["20260131T2400", "hour 24"],
    ["20260131T15", "no colons"],
    ["2026-1-31", "two digits"],
    ["2026-13-01", "month 13 is not in 01..12"],
    ["2026-00-01", "month 00"],
    ["2026-02-29", "day 29 is not in 01..28 of 2026-02"],
    ["1900-02-29", "day 29"],
    ["2026-04-31", "day 31 is not in 01..30"],
    ["2026-01-00", "day 00"],
    ["2026-01-31T15", "needs minutes"],
    ["2026-01-31T24:00", "hour 24"],
    ["2026-01-31T15:60", "minute 60"],
    ["2026-01-31T15:04:60Z", "second 60"],
    ["2026-12-31T23:59:61Z", "second 61"],
    ["2026-01-31T15:04:05.Z", "expected ISO 8601"],
    ["2026-01-31T15:04:05+24:00", "zone +24:00"],
    ["2026-01-31T15:04:05+01:60", "zone +01:60"],
    ["2026-01-31T15:04:05 Z", "expected ISO 8601"],
    ["2026-01-31Z", "expected ISO 8601"],
    [" 2026-01-31", "expected ISO 8601"],
    ["2026-01-31\n", "expected ISO 8601"],
    ["-0000-01-01", "year -0"],
    ["+999999999-01-01", "out of range"],
    ["٢٠٢٦-01-31", "expected ISO 8601"],
  ])("refuses %j", (text, reason) => {
    expect(parseDatetime(text)).toContain(reason);
  });

  test("a longer text is refused unread", () => {
    const start = "2026-01-31T15:04:05.";
    expect(parseDatetime(`${start}${"7".repeat(235)}Z`)).toBe(1_769_871_845_777n);
    expect(parseDatetime(`${start}${"7".repeat(236)}Z`)).toContain("at most 256 characters");
  });
});

describe("formatDatetime", () => {
  test.each([
    [0n, "1970-01-01T00:00:00.000000000Z"],
    [-1n, "1969-12-31T23:59:59.999000000Z"],
    [1_767_225_600_123n, "2026-01-01T00:00:00.123000000Z"],
    [253_402_300_800_000n, "+010000-01-01T00:00:00.000000000Z"],
    [-62_167_219_200_001n, "-000001-12-31T23:59:59.999000000Z"],
    [2n ** 63n - 1n, "+292278994-08-17T07:12:55.807000000Z"],
    [-(2n ** 63n), "-292275055-05-16T16:47:04.192000000Z"],
  ])("writes %d", (ms, text) => {
    expect(formatDatetime(ms)).toBe(text);
    expect(parseDatetime(text)).toBe(ms);
  });

  test("agrees with the platform's calendar, and is read back", () => {
    const seed = 71;
    const random = seededRandom(seed);
    for (let i = 0; i < 5000; i++) {
      // Alternates between the whole range of the platform's dates and recent centuries.
      const ms = Math.round((random.next() - 0.5) * (i % 2 === 0 ? 1.7e16 : 2e13));
      const text = formatDatetime(BigInt(ms));
      expect(text, `seed ${seed}`).toBe(`${new Date(ms).toISOString().slice(0, -1)}000000Z`);
      expect(parseDatetime(text), `seed ${seed}`).toBe(BigInt(ms));
    }
  });
});
