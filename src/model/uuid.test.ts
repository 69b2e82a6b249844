import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { formatUuid, parseUuid, UUID_BYTES, writeUuidBytes } from "./uuid.ts";

const CANONICAL = "f47ac10b-58cc-4372-a567-0e02b2c3d479";

test.each([
  CANONICAL,
  CANONICAL.toUpperCase(),
  "F47ac10B-58cc-4372-a567-0e02b2c3D479",
  "f47ac10b58cc4372a5670e02b2c3d479",
  "F47AC10B58CC4372A5670E02B2C3D479",
  `{${CANONICAL}}`,
  `{${CANONICAL.toUpperCase()}}`,
  "{f47ac10b58cc4372a5670e02b2c3d479}",
  `urn:uuid:${CANONICAL}`,
  `URN:UUID:${CANONICAL.toUpperCase()}`,
])("reads the spelling %s", (text) => {
  expect(parseUuid(text)).toBe(CANONICAL);
});

test.each([
  "",
  "not-a-uuid",
  CANONICAL.slice(1),
  `${CANONICAL}0`,
  `{${CANONICAL}`,
  `${CANONICAL}}`,
  `{urn:uuid:${CANONICAL}}`,
  ` ${CANONICAL}`,
  `${CANONICAL}\n`,
  "f47ac10b-58cc4372-a567-0e02b2c3d479",
  "f47ac10b-58cc-4372-a5670-e02b2c3d479",
  "g47ac10b-58cc-4372-a567-0e02b2c3d479",
])("refuses %j", (text) => {
  expect(parseUuid(text)).toBeUndefined();
});

test("bytes and text are each other's inverse", () => {
  const seed = 5;
  const random = seededRandom(seed);
  for (let i = 0; i < 500; i++) {
    const bytes = random.bytes(UUID_BYTES + 3);
    const text = formatUuid(bytes, 3);
    expect(parseUuid(text), `seed ${seed}`).toBe(text);
    const back = new Uint8Array(UUID_BYTES + 1);
    writeUuidBytes(text, back, 1);
    expect(back.subarray(1), `seed ${seed}`).toEqual(bytes.subarray(3));
  }
});
