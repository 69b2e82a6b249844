/**
 * What one embedding by `trawl/static-en` takes in one thread, by the length of the text, and what
 * loading its table takes. Run: `node bench/embed.bench.ts`.
 */

import { runSteps } from "../src/base/steps.ts";
import { staticEnglish } from "../src/embed/static/static-english.ts";
import { stemmerOf } from "../src/text/languages/language.ts";

const RUNS = 200;
const TEXT =
  "The quick survey of boundary layers shows that heat transfer increases with the speed of ships ";

const heapBefore = process.memoryUsage();
const loadStartMs = performance.now();
const model = await staticEnglish(stemmerOf("english")).load();
const loadMs = performance.now() - loadStartMs;
const heap = process.memoryUsage();
const grown = (of: "heapUsed" | "arrayBuffers") => (heap[of] - heapBefore[of]) / 2 ** 20;
const mib = grown("heapUsed") + grown("arrayBuffers");
console.log(`loading: ${loadMs.toFixed(1)} ms, about ${mib.toFixed(1)} MiB`);
console.log("| words | µs, median | longest step, µs |");
console.log("|---|---|---|");
for (const words of [4, 16, 160, 1600, 4800]) {
  const text = TEXT.repeat(words / 16 + 1)
    .split(" ")
    .slice(0, words)
    .join(" ");
  const times: number[] = [];
  let longest = 0;
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    runSteps(model.embed(text));
    times.push(performance.now() - startMs);
  }
  const steps = model.embed(text);
  for (let done = false; !done; ) {
    const startMs = performance.now();
    done = steps.next().done === true;
    longest = Math.max(longest, performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  const median = times[RUNS / 2];
  console.log(`| ${words} | ${(1000 * median).toFixed(0)} | ${(1000 * longest).toFixed(0)} |`);
}
