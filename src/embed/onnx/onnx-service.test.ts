import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { invalid } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { hashEmbeddingProvider } from "../hash-embedding-provider.ts";
import { OnnxEmbeddingProvider } from "./onnx-embedding-provider.ts";
import type { ToOnnx } from "./onnx-messages.ts";
import type { OnnxModel } from "./onnx-model.ts";
import { ONNX_REQUESTS_MAX, ONNX_TEXT_UNITS_MAX, OnnxService } from "./onnx-service.ts";

/** A model whose runs a test lets go on; each run has one text. */
class SlowModel implements Pick<OnnxModel, "plan" | "run"> {
  /** First texts of requests, in the order of their runs. */
  readonly ran: string[] = [];
  #texts = new Map<unknown, readonly string[]>();
  #gate = Promise.withResolvers<void>();

  plan(texts: readonly string[]) {
    const batches = texts.map((_, place) => ({ places: [place], length: 1 }));
    const planned = { tokens: texts.map(() => [1]), batches, tokenCount: texts.length };
    this.#texts.set(planned, texts);
    return planned;
  }

  async run(planned: unknown, { places }: { readonly places: readonly number[] }) {
    const text = this.#texts.get(planned)?.[places[0]] ?? "";
    this.ran.push(text);
    await this.#gate.promise;
    if (text === "bad") throw invalid("it makes a vector with NaN of a text");
    return [Float32Array.of(text.length, 1)];
  }

  open(): void {
    this.#gate.resolve();
  }
}

const channels: MessageChannel[] = [];
afterEach(() => {
  for (const { port1 } of channels.splice(0)) port1.close();
});

function serve() {
  const model = new SlowModel();
  const models = new Map([["mine", model]]);
  const service = new OnnxService({ models, clock: new InstantClock(), nextTurn });
  const connect = () => {
    const channel = new MessageChannel();
    channels.push(channel);
    const { port1, port2 } = channel;
    const client = { post: (answer: unknown) => port2.postMessage(answer) };
    port2.on("message", (message: ToOnnx) => service.onMessage(client, message));
    return new OnnxEmbeddingProvider({
      models: [{ name: "mine", dimensions: 2 }],
      port: port1,
      others: hashEmbeddingProvider,
    });
  };
  return { model, service, connect };
}

const asking = (...texts: string[]) => ({ model: "mine", texts, dimensions: 2 });

/** Waits until the service has heard what was posted. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

test("texts have their vectors in order, and what was done is counted", async () => {
  const { model, service, connect } = serve();
  model.open();
  const answer = await connect().embed(asking("abc", "a"));
  expect(answer).toEqual({ vectors: [Float32Array.of(3, 1), Float32Array.of(1, 1)], tokens: 2 });
  expect(service.stats.get("mine")).toMatchObject({ texts: 2, tokens: 2 });
  expect([service.waitingCount, service.refusedCount]).toEqual([0, 0]);
});

test("a query's text does not wait for all texts of a write", async () => {
  const { model, service, connect } = serve();
  const write = connect().embed(asking("w1", "w2", "w3"));
  await until(() => model.ran.length === 1);
  const query = connect().embed(asking("q"));
  await until(() => service.waitingCount === 2);
  model.open();
  await Promise.all([write, query]);
  expect(model.ran).toEqual(["w1", "w2", "q", "w3"]);
});

test("who has left is not worked for, and others are", async () => {
  const { model, service, connect } = serve();
  const controller = new AbortController();
  const provider = connect();
  const left = provider.embed(asking("l1", "l2"), controller.signal);
  await until(() => model.ran.length === 1);
  const stays = provider.embed(asking("s"));
  controller.abort(new Error("the client is gone"));
  await expect(left).rejects.toThrow("the client is gone");
  await until(() => service.waitingCount === 1);
  model.open();
  expect((await stays).tokens).toBe(1);
  expect(model.ran).toEqual(["l1", "s"]);
  await expect(provider.embed(asking("x"), controller.signal)).rejects.toThrow("gone");
});

test("a text that the model fails with fails its request alone", async () => {
  const { model, connect } = serve();
  model.open();
  const provider = connect();
  const [bad, good] = await Promise.allSettled([
    provider.embed(asking("bad")),
    provider.embed(asking("good")),
  ]);
  expect(good.status).toBe("fulfilled");
  expect((bad as PromiseRejectedResult).reason).toMatchObject({
    code: "invalid",
    message: '💔 embedding model "mine" failed with a text: it makes a vector with NaN of a text',
  });
});

describe("too much at once is refused, with the reason and a time to wait", () => {
  test("requests", async () => {
    const { model, service, connect } = serve();
    const provider = connect();
    const taken = Array.from({ length: ONNX_REQUESTS_MAX }, () => provider.embed(asking("t")));
    await expect(provider.embed(asking("one more"))).rejects.toMatchObject({
      code: "overloaded",
      message: expect.stringContaining(
        `embedding model "mine" is busy: ${ONNX_REQUESTS_MAX} requests wait`,
      ),
      retryAfterMs: 1_000,
    });
    expect(service.refusedCount).toBe(1);
    model.open();
    await Promise.all(taken);
    expect((await provider.embed(asking("later"))).tokens).toBe(1);
  });

  test("characters, but for a request that is alone", async () => {
    const { model, connect } = serve();
    const provider = connect();
    const large = "x".repeat(ONNX_TEXT_UNITS_MAX + 1);
    const alone = provider.embed(asking(large));
    await until(() => model.ran.length === 1);
    await expect(provider.embed(asking("y"))).rejects.toMatchObject({ code: "overloaded" });
    model.open();
    expect((await alone).tokens).toBe(1);
  });
});

test("other models are another provider's, and other dimensions are refused", async () => {
  const provider = serve().connect();
  const request = { model: "theirs", texts: ["a"], dimensions: 8 };
  expect(await provider.embed(request)).toEqual(await hashEmbeddingProvider.embed(request));
  expect(provider.dimensionsOf("mine")).toBe(2);
  expect(provider.dimensionsOf("theirs")).toBe(hashEmbeddingProvider.dimensionsOf("theirs"));
  await expect(provider.embed({ ...asking("a"), dimensions: 3 })).rejects.toThrow(
    'model "mine" makes vectors of 2 dimensions, and 3 are asked for: leave `dims` out',
  );
});
