/** The table of `trawl/static-en` is what its script makes of its texts, to the byte. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeVectors } from "../../scripts/static-en/make-vectors.ts";
import { readTrainingBags, TRAINING_FILES } from "../../scripts/static-en/training-bags.ts";
import { encodeMeaningVectors } from "../../src/embed/static/meaning-vectors.ts";
import { datasetFile, isDatasetHere } from "../support/documents/datasets.ts";

const TABLE = new URL("../../src/embed/static/static-en.table", import.meta.url);

test.skipIf(!TRAINING_FILES.every(isDatasetHere))(
  "the same texts give the same table",
  async () => {
    const bytes = await encodeMeaningVectors(makeVectors(readTrainingBags(datasetFile(""))));
    expect(Buffer.compare(bytes, readFileSync(TABLE))).toBe(0);
  },
  600_000,
);
