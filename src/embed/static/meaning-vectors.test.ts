import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { stemmerOf } from "../../text/languages/language.ts";
import { MeaningModel } from "./meaning-model.ts";
import {
  decodeMeaningVectors,
  encodeMeaningVectors,
  type MeaningVectors,
} from "./meaning-vectors.ts";

const SMALL: MeaningVectors = {
  dimensions: 4,
  places: new Map([
    ["boat", 0],
    ["boatman", 1],
    ["fish", 2],
    ["über", 3],
  ]),
  weights: Float32Array.of(0, 1, 51 / 255, 0.2),
  levels: Float32Array.from({ length: 16 }, (_, i) => (i - 8) / 16),
  codes: Uint8Array.of(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe),
};

test("a file holds what was put into it", async () => {
  const read = await decodeMeaningVectors(await encodeMeaningVectors(SMALL));
  expect(read).toEqual({ ...SMALL, places: new Map(SMALL.places) });
});

describe("damage is told", () => {
  test("wherever a bit is wrong", async () => {
    const whole = await encodeMeaningVectors(SMALL);
    for (let at = 0; at < whole.length; at++) {
      const file = Uint8Array.from(whole);
      file[at] ^= 1;
      await expect(decodeMeaningVectors(file), `byte ${at}`).rejects.toThrow("is damaged");
    }
  });

  test("where the file is cut", async () => {
    const whole = await encodeMeaningVectors(SMALL);
    for (const end of [0, 23, 24, whole.length - 1]) {
      await expect(decodeMeaningVectors(whole.subarray(0, end))).rejects.toThrow("is damaged");
    }
  });
});

describe("the table that ships with Trawl", () => {
  const file = readFileSync(new URL("static-en.table", import.meta.url));

  async function vectorsOf(...texts: string[]): Promise<Float32Array[]> {
    const model = new MeaningModel(await decodeMeaningVectors(file), stemmerOf("english"));
    return texts.map((text) => runSteps(model.embed(text)).vector);
  }

  function similarity(a: Float32Array, b: Float32Array): number {
    return a.reduce((sum, value, i) => sum + value * b[i], 0);
  }

  test("is at most 2.5 MB", () => {
    expect(file.length).toBeLessThanOrEqual(2_500_000);
  });

  test.each([
    ["car", "automobile", "banana"],
    ["doctor", "physician", "violin"],
    ["the heart attack of a patient", "cardiac disease", "stock market prices"],
    ["ships at sea", "a vessel sails the ocean", "a recipe of garlic and butter"],
    ["computers", "computer", "garden"],
    ["café", "cafe", "engine"],
    ["Olúwa", "oluwa", "ocean"],
  ])("knows that %s is nearer to %s than to %s", async (text, near, far) => {
    const [a, b, c] = await vectorsOf(text, near, far);
    expect(similarity(a, b)).toBeGreaterThan(similarity(a, c) + 0.1);
  });

  test("gives vectors of length 1, also where there is no word it knows", async () => {
    for (const vector of await vectorsOf("fish", "qzxv", "…", "1984 42", "東京", "")) {
      expect(vector).toHaveLength(384);
      expect(similarity(vector, vector)).toBeCloseTo(1, 5);
    }
  });

  test("does not mind numbers, case, accents and forms of a word", async () => {
    const [first, ...same] = await vectorsOf("Fishing boats", "12 fishing 7 boat", "FÍSHING BOATS");
    for (const vector of same) expect(vector).toEqual(first);
  });
});
