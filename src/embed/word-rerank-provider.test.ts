import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { WordRerankProvider } from "./word-rerank-provider.ts";

function scores(query: string, ...documents: string[]): Promise<readonly number[]> {
  const provider = new WordRerankProvider(["words"], new InstantClock());
  return provider.rerank({ model: "words", query, documents });
}

test("what shares more words with the query scores higher", async () => {
  const [same, forms, other, none] = await scores(
    "reset my password",
    "Password: my reset!",
    "resetting passwords",
    "my billing address",
    "東京",
  );
  expect(same).toBe(1);
  expect(forms).toBeLessThan(same);
  expect(forms).toBeGreaterThan(other);
  expect(other).toBeGreaterThan(none);
  expect(none).toBe(0);
});

test("the order of words makes no difference to the last bit", async () => {
  const words = Array.from({ length: 200 }, (_, i) => `word${i * 7919}`);
  const query = words.slice(0, 90).join(" ");
  const [a, b] = await scores(query, words.join(" "), words.toReversed().join(" "));
  expect(a).toBe(b);
});

test("a query or a text without words scores 0", async () => {
  expect(await scores("…", "a b")).toEqual([0]);
  expect(await scores("a b", "…", "?")).toEqual([0, 0]);
});

test("others get their turn within many long texts", async () => {
  let turns = 0;
  const clock = new InstantClock();
  clock.sleep = async () => {
    turns++;
  };
  const documents = Array.from({ length: 10 }, () => "long text ".repeat(100_000));
  await new WordRerankProvider(["w"], clock).rerank({ model: "w", query: "text", documents });
  expect(turns).toBeGreaterThanOrEqual(4);
});
