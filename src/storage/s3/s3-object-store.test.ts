import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answerError,
  type ReceivedRequest,
  type Script,
  type ScriptedS3,
  startScriptedS3,
} from "../../../test/support/stores/scripted-s3.ts";
import { systemClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/random.ts";
import { ALWAYS, IF_ABSENT, objectKey } from "../object-store.ts";
import { S3_TIMES, type S3Times } from "./s3-client.ts";
import { S3_PARTS_PARALLEL_MAX } from "./s3-multipart.ts";
import { S3_BUFFERED_BYTES_MAX, S3ObjectStore } from "./s3-object-store.ts";

const KEY = objectKey("a/key");
const BODY = Uint8Array.of(1, 2, 3);
/** For tests in which a time runs out; the others must not depend on the machine's load. */
const SHORT: S3Times = { connectMs: 5_000, answerMs: 300, silenceMs: 300 };
const PART_BYTES = 5 * 2 ** 20;

let server: ScriptedS3;
let script: Script;
let store: S3ObjectStore;

const connect = (endpoint: string, times: S3Times = S3_TIMES) =>
  S3ObjectStore.open({
    config: { kind: "s3", bucket: "bucket", prefix: "", endpoint, pathStyle: true },
    clock: systemClock,
    times,
    partBytes: PART_BYTES,
  });

const saved = { ...process.env };
beforeEach(async () => {
  process.env.AWS_ACCESS_KEY_ID = "key";
  process.env.AWS_SECRET_ACCESS_KEY = "secret";
  server = await startScriptedS3((request, response) => script(request, response));
  store = await connect(server.url);
});
afterEach(async () => {
  store.close();
  await server.close();
  process.env = { ...saved };
});

const put = () => store.put(KEY, BODY, IF_ABSENT);
const get = () => store.get(KEY);

/** Every request gets this error. */
const failWith = (status: number, code: string) => {
  script = (_, response) => answerError(response, status, code);
};

describe("requests", () => {
  test("put-if-absent is one PUT with If-None-Match, signed with the body's hash", async () => {
    script = (_, response) => response.end();
    expect(await put()).toEqual({ kind: "written" });
    expect(server.received).toHaveLength(1);
    const { method, url, headers, body } = server.received[0];
    expect([method, url]).toEqual(["PUT", "/bucket/a/key?x-id=PutObject"]);
    expect(headers["if-none-match"]).toBe("*");
    expect(headers["content-length"]).toBe("3");
    expect(headers["x-amz-content-sha256"]).toBe(sha256(BODY));
    expect(headers).not.toHaveProperty("x-amz-trailer");
    expect(headers).not.toHaveProperty("expect");
    expect(body).toEqual(Buffer.from(BODY));
  });

  test("a large conditional body goes as one PUT, too, streamed from shared memory", async () => {
    script = (_, response) => response.end();
    const shared = new Uint8Array(new SharedArrayBuffer(S3_BUFFERED_BYTES_MAX));
    shared.set(seededRandom(1).bytes(1000), 500);
    const pieces = [shared, BODY, new Uint8Array(0), shared.subarray(400, 600)];
    expect(await store.put(KEY, pieces, IF_ABSENT)).toEqual({ kind: "written" });
    expect(server.received).toHaveLength(1);
    const { headers, body } = server.received[0];
    expect(body.equals(Buffer.concat(pieces))).toBe(true);
    expect(headers["content-length"]).toBe(String(body.length));
    expect(headers["x-amz-content-sha256"]).toBe(sha256(body));
    expect(headers["if-none-match"]).toBe("*");
  });

  test("an unconditional put has no condition", async () => {
    script = (_, response) => response.end();
    expect(await store.put(KEY, BODY, ALWAYS)).toEqual({ kind: "written" });
    expect(server.received[0].headers).not.toHaveProperty("if-none-match");
  });

  test("a range is asked for by its last byte; a whole answer is cut", async () => {
    script = ({ headers }, response) => {
      if (headers.range === "bytes=2-4") {
        response.writeHead(206, { "content-range": "bytes 2-4/10" }).end("234");
      } else response.end("0123456789");
    };
    expect(Buffer.from((await store.getRange(KEY, 2, 5)) ?? []).toString()).toBe("234");
    expect(Buffer.from((await store.getRange(KEY, 3, 5)) ?? []).toString()).toBe("34");
    expect(Buffer.from((await store.getRange(KEY, 5, 5)) ?? []).toString()).toBe("");
  });

  test.each(["bytes 0-2/10", "bytes 2-3/10", "bytes 2-5/10", "bytes */10"])(
    "an answer of another range (%s) is none",
    async (contentRange) => {
      script = (_, response) => {
        response.writeHead(206, { "content-range": contentRange }).end("234");
      };
      await expect(store.getRange(KEY, 2, 5)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining(`is of ${contentRange}, and bytes 2-4 were asked for`),
      });
    },
  );

  test("a range that begins after the end is empty, of an absent object undefined", async () => {
    failWith(416, "InvalidRange");
    expect(await store.getRange(KEY, 2, 5)).toEqual(new Uint8Array(0));
    failWith(404, "NoSuchKey");
    expect(await store.getRange(KEY, 2, 5)).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
    await store.delete(KEY);
  });
});

describe("a conditional put", () => {
  test("that meets 412 is a conflict", async () => {
    failWith(412, "PreconditionFailed");
    expect(await put()).toEqual({ kind: "conflict" });
    expect(server.received).toHaveLength(1);
  });

  test("that meets 409 is a conflict if an object is there, and else unknown", async () => {
    const at409 = (read: (response: ServerResponse) => void): Script => {
      return ({ method }, response) => {
        if (method === "PUT") answerError(response, 409, "ConditionalRequestConflict");
        else read(response);
      };
    };
    script = at409((response) =>
      response.writeHead(206, { "content-range": "bytes 0-0/3" }).end("x"),
    );
    expect(await put()).toEqual({ kind: "conflict" });
    script = at409((response) => answerError(response, 404, "NoSuchKey"));
    await expect(put()).rejects.toMatchObject({ code: "unavailable" });
  });

  test.each([
    [500, "InternalError"],
    [502, "BadGateway"],
    [503, "ServiceUnavailable"],
    [504, "GatewayTimeout"],
  ])("is sent once, and after %i its outcome is unknown", async (status, code) => {
    failWith(status, code);
    await expect(put()).rejects.toMatchObject({ code: "unavailable" });
    expect(server.received).toHaveLength(1);
  });

  test("is sent once when the connection breaks or nobody answers", async () => {
    script = (_, response) => response.destroy();
    await expect(put()).rejects.toMatchObject({ code: "unavailable" });
    script = () => undefined;
    store = await connect(server.url, SHORT);
    await expect(put()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/ETIMEDOUT|TimeoutError/),
    });
    expect(server.received).toHaveLength(2);
  });
});

describe("throttling is `overloaded`", () => {
  test.each([
    [503, "SlowDown"],
    [429, "TooManyRequests"],
    [429, "Whatever"],
  ])("%i %s", async (status, code) => {
    failWith(status, code);
    const overloaded = { code: "overloaded", message: expect.stringContaining("fewer requests") };
    await expect(put()).rejects.toMatchObject(overloaded);
    await expect(get()).rejects.toMatchObject(overloaded);
    await expect(store.list({ prefix: "", limit: 1 })).rejects.toMatchObject(overloaded);
    await expect(store.delete(KEY)).rejects.toMatchObject(overloaded);
  });
});

describe("an error names the setting to look at", () => {
  test.each([
    [404, "NoSuchBucket", /create the bucket bucket, or correct --object-store/],
    [403, "AccessDenied", /s3:GetObject.*AWS_ACCESS_KEY_ID/],
    [403, "Forbidden", /s3:GetObject.*AWS_ACCESS_KEY_ID/],
    [403, "InvalidAccessKeyId", /does not know the access key: .*AWS_ACCESS_KEY_ID/],
    [403, "SignatureDoesNotMatch", /secret key is wrong, or --s3-region/],
    [400, "ExpiredToken", /have expired.*AWS_PROFILE/],
    [400, "InvalidToken", /AWS_SESSION_TOKEN/],
    [403, "RequestTimeTooSkewed", /clock/],
    [301, "PermanentRedirect", /another region.*correct --s3-region/],
    [400, "AuthorizationHeaderMalformed", /another region.*correct --s3-region/],
    [400, "InvalidBucketName", /--object-store/],
    [404, "NoSuchUpload", /somebody aborted it; a rule of the bucket/],
    [501, "NotImplemented", /docs\/object-stores.md/],
  ])("%i %s", async (status, code, advice) => {
    failWith(status, code);
    for (const request of [put, get, () => store.list({ prefix: "", limit: 1 })]) {
      await expect(request()).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(advice),
      });
    }
    await expect(get()).rejects.toThrow(
      `cannot read a/key in s3://bucket at ${server.url}: ${status} ${code}: said ${code}; `,
    );
  });

  test("a server that is no S3 service is not an empty store", async () => {
    script = (_, response) => response.writeHead(404).end("<html>not here</html>");
    await expect(get()).rejects.toThrow(/not of an S3 service; correct --s3-endpoint/);
  });

  test.each(["", "<html>all is well</html>"])("%j with status 200 is no listing", async (text) => {
    script = (_, response) => response.writeHead(200).end(text);
    await expect(store.list({ prefix: "a/", limit: 10 })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("is no listing"),
    });
  });

  test("an empty listing is one", async () => {
    const root = "<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>";
    script = (_, response) => response.writeHead(200).end(`${root}</ListBucketResult>`);
    const page = await store.list({ prefix: "a/", limit: 10 });
    expect(page).toEqual({ keys: [], prefixes: [], truncated: false });
  });

  test("a proxy's page is no answer", async () => {
    script = (_, response) => response.writeHead(502).end("<html>bad gateway</html>");
    await expect(get()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("502"),
    });
  });

  test("nothing listens", async () => {
    await server.close();
    await expect(get()).rejects.toThrow(/ECONNREFUSED.*correct --s3-endpoint/);
  });

  test("no such host", async () => {
    const lost = await connect("http://nowhere.invalid");
    await expect(lost.get(KEY)).rejects.toThrow(
      /(ENOTFOUND|EAI_AGAIN).*(--s3-endpoint|name service)/,
    );
  });

  test("https where http is spoken", async () => {
    const wrong = await connect(server.url.replace("http:", "https:"));
    await expect(wrong.get(KEY)).rejects.toThrow(/--s3-endpoint says https/);
  });

  test("no credentials at all", async () => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith("AWS_")) delete process.env[name];
    }
    process.env.HOME = "/nonexistent";
    process.env.AWS_EC2_METADATA_DISABLED = "true";
    const bare = await connect(server.url);
    await expect(bare.get(KEY)).rejects.toThrow(/no credentials were found.*AWS_ACCESS_KEY_ID/);
  });

  test("no region", async () => {
    delete process.env.AWS_REGION;
    process.env.HOME = "/nonexistent";
    const config = { kind: "s3", bucket: "bucket", prefix: "", pathStyle: false } as const;
    const opening = S3ObjectStore.open({ clock: systemClock, config });
    await expect(opening).rejects.toThrow(/set --s3-region/);
  });
});

describe("a body that does not arrive whole is `unavailable`", () => {
  test.each([
    ["the connection ends", (response: ServerResponse) => response.destroy()],
    ["nothing more comes", () => undefined],
  ])("%s", async (_, go) => {
    store = await connect(server.url, SHORT);
    script = (_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("01234", () => go(response));
    };
    await Promise.all(
      [get(), store.getRange(KEY, 0, 10)].map((read) =>
        expect(read).rejects.toMatchObject({ code: "unavailable" }),
      ),
    );
  });

  test("a chunked body is cut off", async () => {
    script = (_, response) => {
      response.write("01234", () => response.destroy());
    };
    await expect(get()).rejects.toMatchObject({ code: "unavailable" });
  });

  test("a whole chunked body is read", async () => {
    script = (_, response) => {
      response.write("01234");
      response.end("56");
    };
    expect(Buffer.from((await get()) ?? []).toString()).toBe("0123456");
  });
});

describe("a large unconditional put goes in parts", () => {
  const body = seededRandom(3).bytes(1000);
  /** Returns an object of `wholeParts` full parts and a last part of 7 bytes. */
  const large = (wholeParts: number) => {
    const bytes = new Uint8Array(new SharedArrayBuffer(wholeParts * PART_BYTES + 7));
    for (let at = 0; at < bytes.length - 1000; at += 99_991) bytes.set(body, at);
    return [bytes.subarray(0, 1234), bytes.subarray(1234)];
  };

  /** Answers an upload's requests; `part` may answer one part in another way and return true. */
  const uploads = (part: (number: number, response: ServerResponse) => boolean): Script => {
    return ({ method, url }, response) => {
      const query = new URL(url, "http://x").searchParams;
      const xml = (text: string) => response.end(`<?xml version="1.0"?>${text}`);
      if (query.has("uploads")) {
        xml(
          "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>",
        );
      } else if (query.has("partNumber")) {
        const number = Number(query.get("partNumber"));
        if (part(number, response)) return;
        response.setHeader("etag", `"tag-${number}"`).end();
      } else if (method === "POST") {
        xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
      } else response.writeHead(204).end();
    };
  };
  const queryOf = ({ url }: ReceivedRequest) => new URL(url, "http://x").searchParams;
  const partsOf = () => server.received.filter((request) => queryOf(request).has("partNumber"));

  test("all bytes, in order, and a few parts at a time", async () => {
    let open = 0;
    let openMost = 0;
    script = uploads((number, response) => {
      open++;
      openMost = Math.max(openMost, open);
      setImmediate(() => {
        open--;
        response.setHeader("etag", `"tag-${number}"`).end();
      });
      return true;
    });
    const pieces = large(S3_PARTS_PARALLEL_MAX + 2);
    expect(await store.put(KEY, pieces, ALWAYS)).toEqual({ kind: "written" });
    const number = (request: ReceivedRequest) => Number(queryOf(request).get("partNumber"));
    const parts = partsOf().sort((a, b) => number(a) - number(b));
    expect(parts.map(number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(Buffer.concat(parts.map((part) => part.body)).equals(Buffer.concat(pieces))).toBe(true);
    expect(openMost).toBeLessThanOrEqual(S3_PARTS_PARALLEL_MAX);
    const completion = server.received.at(-1)?.body.toString() ?? "";
    const listed = [...completion.matchAll(/<PartNumber>(\d+)/g)].map(([, text]) => Number(text));
    expect(listed).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(completion).toContain("tag-7");
  });

  test("a part that fails aborts the upload", async () => {
    script = uploads((number, response) => {
      if (number === 3) answerError(response, 500, "InternalError");
      return number === 3;
    });
    await expect(store.put(KEY, large(3), ALWAYS)).rejects.toMatchObject({ code: "unavailable" });
    const last = server.received.at(-1);
    expect([last?.method, last && queryOf(last).get("uploadId")]).toEqual(["DELETE", "u1"]);
    expect(
      server.received.some(({ method, body: sent }) => method === "POST" && sent.length > 0),
    ).toBe(false);
  });

  test("an error within the completion's answer, which says 200, is an error", async () => {
    const calm = uploads(() => false);
    script = (request, response) => {
      const isCompletion = request.method === "POST" && request.body.length > 0;
      if (isCompletion) answerError(response, 200, "InternalError");
      else calm(request, response);
    };
    await expect(store.put(KEY, large(1), ALWAYS)).rejects.toMatchObject({ code: "unavailable" });
    expect(server.received.at(-1)?.method).toBe("DELETE");
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
