/**
 * Makes the table of `trawl/static-en`, `src/embed/static/static-en.table`, from open texts
 * (NOTICE): `node scripts/run.js exec scripts/make-static-en.ts [file]`, about a minute. The same
 * texts, in the folder that `TRAWL_DATASETS` names or in `shared/data` beside the project, give the
 * same bytes.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encodeMeaningVectors } from "../src/embed/static/meaning-vectors.ts";
import { datasetFile } from "../test/support/documents/datasets.ts";
import { makeVectors } from "./static-en/make-vectors.ts";
import { readTrainingBags } from "./static-en/training-bags.ts";

const TABLE = fileURLToPath(new URL("../src/embed/static/static-en.table", import.meta.url));

const startedMs = performance.now();
const bags = readTrainingBags(datasetFile(""));
console.log(`${bags.bags.length} bags of ${bags.frequencies.size} stems`);
const vectors = makeVectors(bags);
const bytes = await encodeMeaningVectors(vectors);
const file = process.argv[2] ?? TABLE;
writeFileSync(file, bytes);
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
const hash = createHash("sha256").update(bytes).digest("hex");
console.log(`${file}: ${vectors.places.size} stems, ${bytes.length} bytes, ${seconds} s`);
console.log(`sha256 ${hash}`);
