import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpFixture } from "../../../test/support/servers/http-fixture.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { PageFiles } from "./page-files.ts";

const SCRIPT = "console.log('a script that is long enough');";
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let files: PageFiles;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const site = join(directory.path, "site");
  await mkdir(join(site, "assets"), { recursive: true });
  await mkdir(join(site, "guide"));
  await writeFile(join(directory.path, "secret.txt"), "secret");
  await writeFile(join(site, "index.html"), "<p>home</p>");
  await writeFile(join(site, "start.html"), "<p>start</p>");
  await writeFile(join(site, "guide", "index.html"), "<p>guide</p>");
  await writeFile(join(site, "assets", "app-1a2b.js"), SCRIPT);
  await writeFile(join(site, "assets", "app-1a2b.js.gz"), gzipSync(SCRIPT));
  await writeFile(join(site, "packed.html.gz"), gzipSync("<p>packed</p>"));
  await writeFile(join(site, "notes.bin"), "no type");
  files = (await PageFiles.open(site)) as PageFiles;
});
afterAll(() => directory.remove());

function fixture({ fallback = true, apiKey }: { fallback?: boolean; apiKey?: string } = {}) {
  const site = { path: "/console", files, ...(fallback && { fallback: "index.html" }) };
  const { server } = httpFixture({ sites: [site], ...(apiKey !== undefined && { apiKey }) });
  return (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") =>
    server.app.inject({ method, url, headers: { host: "localhost", ...headers } });
}

describe("a site with a fallback", () => {
  test("answers every address that is no file with its page, without a key", async () => {
    const get = fixture({ apiKey: "secret" });
    for (const url of [
      "/console/",
      "/console/namespaces",
      "/console/namespaces/a.b/documents?x=1",
      "/console/namespaces/a/",
    ]) {
      const answer = await get(url);
      expect([url, answer.statusCode, answer.body]).toEqual([url, 200, "<p>home</p>"]);
    }
    expect((await get("/v1/namespaces")).statusCode).toBe(401);
  });

  test("says what pages may do, and that the page is asked for again", async () => {
    const { headers } = await fixture()("/console/");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/default-src 'self';.*frame-ancestors 'no/),
    });
    expect(headers["content-security-policy"]).not.toContain("unsafe");
  });

  test("sends the path without a slash to that with one", async () => {
    const answer = await fixture()("/console");
    expect([answer.statusCode, answer.headers.location]).toEqual([302, "/console/"]);
  });

  test("keeps hashed files for ever, in the form that the browser takes", async () => {
    const get = fixture();
    const plain = await get("/console/assets/app-1a2b.js");
    expect(plain.body).toBe(SCRIPT);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const packed = await get("/console/assets/app-1a2b.js", { "accept-encoding": "gzip, br" });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(SCRIPT);
    const refused = await get("/console/assets/app-1a2b.js", { "accept-encoding": "gzip;q=0" });
    expect(refused.body).toBe(SCRIPT);
  });

  test("has files of which only the compressed form is there", async () => {
    const get = fixture();
    const plain = await get("/console/packed.html");
    expect(plain.body).toBe("<p>packed</p>");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const packed = await get("/console/packed.html", { "accept-encoding": "gzip, br" });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", etag: plain.headers.etag });
    expect(gunzipSync(packed.rawPayload).toString()).toBe("<p>packed</p>");
  });

  test("knows a file again by its etag, and answers HEAD", async () => {
    const get = fixture();
    const { etag } = (await get("/console/assets/app-1a2b.js")).headers;
    const again = await get("/console/assets/app-1a2b.js", { "if-none-match": `"x", ${etag}` });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    expect(again.headers["content-length"]).toBeUndefined();
    const head = await get("/console/", {}, "HEAD");
    expect([head.statusCode, head.headers["content-length"]]).toEqual([200, "11"]);
  });

  test("knows no other hashed files, and no path leads out of its folder", async () => {
    const get = fixture();
    for (const url of [
      "/console/assets/other.js",
      "/console/assets/..%2f..%2fsecret.txt",
      "/console/assets/%2e%2e/%2e%2e/secret.txt",
      "/console/assets/app-1a2b.js.gz",
      "/console/assets/%zz",
    ]) {
      const answer = await get(url);
      expect([url, answer.body]).toEqual([url, expect.not.stringContaining("secret\n")]);
      expect([url, answer.statusCode]).toEqual([url, expect.toSatisfy((code) => code >= 400)]);
    }
    for (const url of ["/console/../secret.txt", "/console/..%2fsecret.txt"]) {
      expect((await get(url)).body).not.toBe("secret");
    }
    // What has no type of a page is none.
    expect((await get("/console/notes.bin")).body).toBe("<p>home</p>");
  });
});

test("a site without a fallback has pages by name, and no others", async () => {
  const get = fixture({ fallback: false });
  expect((await get("/console/")).body).toBe("<p>home</p>");
  expect((await get("/console/start")).body).toBe("<p>start</p>");
  expect((await get("/console/guide/")).body).toBe("<p>guide</p>");
  const missing = await get("/console/missing");
  expect([missing.statusCode, missing.json()]).toEqual([
    404,
    { status: "error", error: "🤷 there is no page /console/missing; did you mean GET /console/?" },
  ]);
});

describe("the root", () => {
  test("sends browsers to the first site, and stays what it was for programs", async () => {
    const get = fixture();
    const browser = await get("/", { accept: BROWSER });
    expect([browser.statusCode, browser.headers.location]).toEqual([302, "/console/"]);
    for (const accept of ["*/*", "application/json", "application/json, text/html", undefined]) {
      const answer = await get("/", accept === undefined ? {} : { accept });
      expect([accept, answer.json().service]).toEqual([accept, "trawl"]);
    }
  });

  test("stays so for browsers, too, where there is no site", async () => {
    const { server } = httpFixture();
    const url = "/";
    const answer = await server.app.inject({ url, headers: { accept: BROWSER } });
    expect(answer.json().service).toBe("trawl");
    const page = await server.app.inject({ url: "/console/", headers: { host: "localhost" } });
    expect(page.statusCode).toBe(404);
  });
});

test("pages that were built anew are told of, and not taken for a bug", async () => {
  const folder = join(directory.path, "gone");
  await mkdir(folder);
  await writeFile(join(folder, "index.html"), "");
  const gone = (await PageFiles.open(folder)) as PageFiles;
  await rm(folder, { recursive: true });
  const { server } = httpFixture({ sites: [{ path: "/docs", files: gone }] });
  const answer = await server.app.inject({ url: "/docs/", headers: { host: "localhost" } });
  expect([answer.statusCode, answer.json().error]).toEqual([
    503,
    expect.stringContaining("start it again"),
  ]);
});

test("pages that are changed for a server are sent so, with an etag of their own", async () => {
  const site = join(directory.path, "site");
  const changed = (await PageFiles.open(site, (html) =>
    html.replace("packed", "changed"),
  )) as PageFiles;
  const { server } = httpFixture({ sites: [{ path: "/docs", files: changed }] });
  const headers = { host: "localhost", "accept-encoding": "gzip, br" };
  const answer = await server.app.inject({ url: "/docs/packed", headers });
  expect([answer.headers["content-encoding"], answer.body]).toEqual([undefined, "<p>changed</p>"]);
  const built = await fixture()("/console/packed.html");
  expect(answer.headers.etag).not.toBe(built.headers.etag);
  const script = await server.app.inject({ url: "/docs/assets/app-1a2b.js", headers });
  expect(gunzipSync(script.rawPayload).toString()).toBe(SCRIPT);
});

test("a folder that is not there has no files", async () => {
  expect(await PageFiles.open(join(directory.path, "nowhere"))).toBeUndefined();
});
