import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { KeyFixture } from "../../test/support/access/key-fixture.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { signToken, TOKEN_CHARS_MAX, TOKEN_MS_MAX } from "./query-token.ts";

const CONTENT = { namespace: "docs", filter: '["tenant","Eq",7]' };

/** A token as the layout says, made by hand. */
function byHand(key: string, members: Record<string, unknown>): string {
  const hash = createHash("sha256").update(key).digest("hex");
  const id = createHash("sha256").update(`trawl key id ${hash}`).digest("hex").slice(0, 16);
  const payload = JSON.stringify({ v: 1, k: id, n: "docs", f: "[]", e: 1_767_229_200, ...members });
  const head = `tput_${Buffer.from(payload).toString("base64url")}`;
  const secret = createHmac("sha256", hash).update("trawl query token 1").digest();
  return `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
}

async function signer() {
  const keys = await KeyFixture.open();
  const made = await keys.create();
  const nowMs = keys.clock.nowMs();
  const sign = (ms = 60_000, key = made.key) =>
    signToken(key, { ...CONTENT, expiresAtMs: nowMs + ms });
  return { keys, ...made, nowMs, sign };
}

describe("a token", () => {
  test("is of its key, and says what was signed", async () => {
    const { keys, id, nowMs, sign } = await signer();
    const caller = keys.caller(sign());
    expect(caller).toMatchObject({
      kind: "token",
      key: { id },
      token: { ...CONTENT, keyId: id, expiresAtMs: nowMs + 60_000 },
    });
  });

  test("can be made by whoever reads the layout", async () => {
    const { keys, key } = await signer();
    expect(keys.verdict(byHand(key, {}))).toBe("token");
    expect(keys.verdict(byHand(key, { f: '["a","Eq",18446744073709551615]' }))).toBe("token");
  });

  test("of the server is the one that is made without it", async () => {
    const { keys, key } = await signer();
    const body = { namespace: "docs", filter: ["tenant", "Eq", 7], expires_in: "60s" };
    const { json } = keys.operations.issueToken(
      Buffer.from(JSON.stringify(body)),
      keys.caller(key),
    );
    const expiresAtMs = keys.clock.nowMs() + 60_000;
    expect(json).toEqual({
      token: signToken(key, { ...CONTENT, expiresAtMs }),
      namespace: "docs",
      expires_at: "2026-01-01T00:01:00.000Z",
    });
  });

  test("ends at its time, and with its key", async () => {
    const { keys, id, sign } = await signer();
    const [short, long] = [sign(5000), sign(TOKEN_MS_MAX)];
    await keys.clock.sleep(4999);
    expect([short, long].map((token) => keys.verdict(token))).toEqual(["token", "token"]);
    await keys.clock.sleep(1);
    expect(keys.verdict(short)).toContain("it has expired");
    expect(keys.verdict(long)).toBe("token");
    await keys.operations.revoke(id);
    expect(keys.verdict(long)).toContain("its signature is none of a key");
  });

  test("ends with a key that expires", async () => {
    const { keys } = await signer();
    const { key } = await keys.create({ expires_in: "10s" });
    const token = signToken(key, { ...CONTENT, expiresAtMs: keys.clock.nowMs() + 60_000 });
    expect(keys.verdict(token)).toBe("token");
    await keys.clock.sleep(10_000);
    expect(keys.verdict(token)).toContain("its signature is none of a key");
  });
});

describe("what is refused:", () => {
  test("any changed character", async () => {
    const { keys, sign } = await signer();
    const token = sign();
    const random = testRandom();
    for (let at = 0; at < token.length; at++) {
      const other = "AZaz09-_."[random.below(9)];
      if (other === token[at]) continue;
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect(keys.verdict(changed), changed).not.toMatch(/^(token|key|anyone)$/);
      expect(keys.verdict(changed)).not.toContain(changed);
    }
  });

  test("other contents under the signature, and signatures of other keys", async () => {
    const { keys, key, sign } = await signer();
    const other = await keys.create({ name: "other" });
    const signature = sign().split(".")[1];
    const strange = byHand(key, { f: '["And",[]]' }).split(".")[0];
    expect(keys.verdict(`${strange}.${signature}`)).toContain("signature");
    const ofOther = byHand(key, { k: other.id });
    expect(keys.verdict(ofOther)).toContain("signature");
    expect(keys.verdict(sign(60_000, "tpuf_not-a-key-of-this-server"))).toContain("signature");
    expect(keys.verdict(`${sign()}A`)).toContain("form");
    expect(keys.verdict(sign().replace(".", ""))).toContain("form");
  });

  test.each([
    [{ v: 2 }],
    [{ x: 1 }],
    [{ admin: true }],
    [{ n: "a/b" }],
    [{ n: 1 }],
    [{ n: undefined }],
    [{ f: ["And", []] }],
    [{ f: undefined }],
    [{ e: "9999999999" }],
    [{ e: undefined }],
    [{ e: null }],
    [{ k: "../../keys" }],
    [{ k: ["0123456789abcdef"] }],
  ])("signed members %j", async (members) => {
    const { keys, key } = await signer();
    expect(keys.verdict(byHand(key, members))).toContain("not valid");
  });

  test("payloads that are no object", async () => {
    const { keys } = await signer();
    for (const text of ["null", "[]", "1", '"x"', "{", "", "\u0000"]) {
      const head = `tput_${Buffer.from(text).toString("base64url")}`;
      expect(keys.verdict(`${head}.${"A".repeat(43)}`)).toContain("not valid");
    }
  });

  test("expiries too far ahead, and in the past", async () => {
    const { keys, sign } = await signer();
    expect(keys.verdict(sign(TOKEN_MS_MAX + 1000))).toContain("more than 31 days ahead");
    expect(keys.verdict(sign(-1000))).toContain("expired");
    expect(keys.verdict(sign(Number.MAX_SAFE_INTEGER))).toContain("more than 31 days ahead");
  });

  test("very long tokens, without a look at them", async () => {
    const { keys, key, nowMs } = await signer();
    const filter = JSON.stringify(["a", "Eq", "x".repeat(TOKEN_CHARS_MAX)]);
    expect(() => signToken(key, { namespace: "n", filter, expiresAtMs: nowMs + 1 })).toThrow(
      "shorten its filter",
    );
    expect(keys.verdict(byHand(key, { f: filter }))).toContain("form");
    expect(keys.verdict(`tput_${"A".repeat(10_000_000)}.${"A".repeat(43)}`)).toContain("form");
  });

  test("requests for tokens that make no sense", async () => {
    const { keys, key } = await signer();
    const issue = (body: unknown, by = key) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return () => keys.operations.issueToken(Buffer.from(text), keys.caller(by));
    };
    const good = { namespace: "docs", filter: ["And", []] };
    issue(good)();
    expect(issue({ ...good, filter: undefined })).toThrow("missing field `filter`");
    expect(issue({ ...good, filter: null })).toThrow("missing field `filter`");
    expect(issue({ ...good, filter: ["x", "Equals", 1] })).toThrow("the token's filter");
    expect(issue({ ...good, namespace: "a b" })).toThrow("invalid characters");
    expect(issue({ ...good, expires_in: "32d" })).toThrow("at most 31d");
    expect(issue({ ...good, expires: "1h" })).toThrow('did you mean "expires_in"?');
    expect(issue("{")).toThrow();
    const { key: narrow } = await keys.create({ actions: ["read"], namespaces: ["other-*"] });
    expect(issue(good, narrow)).toThrow("lacks the action `read` on namespace 'docs'");
    const { key: writer } = await keys.create({ actions: ["write"], namespaces: ["*"] });
    expect(issue(good, writer)).toThrow("lacks the action `read`");
    const token = issue(good)().json.token as string;
    expect(issue(good, token)).toThrow("a token may only query");
  });
});
