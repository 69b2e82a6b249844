import { describe, expect, test } from "vitest";
import { hostFault, normalizeTarget } from "./request-target.ts";

function message(url: string, hosts: readonly string[], httpVersion = "1.1") {
  const rawHeaders = [...hosts.flatMap((host) => ["Host", host]), "Accept", "host"];
  const headers = hosts.length === 0 ? {} : { host: hosts[0] };
  return { url, httpVersion, rawHeaders, headers };
}

describe("targets in absolute form", () => {
  test.each([
    ["http://there:8484/v1/namespaces?page_size=1", "/v1/namespaces?page_size=1", "there:8484"],
    ["HTTPS://there/", "/", "there"],
    ["http://there", "/", "there"],
    ["http://there?prefix=a", "/?prefix=a", "there"],
    ["http://[::1]:8484//v1", "//v1", "[::1]:8484"],
  ])("%s is served as %s of %s", (target, url, host) => {
    const sent = message(target, ["here"]);
    normalizeTarget(sent);
    expect([sent.url, sent.headers.host]).toEqual([url, host]);
  });

  test.each(["/v1/http://there/", "*", "ftp://there/", "/"])("%s stays", (target) => {
    const sent = message(target, ["here"]);
    normalizeTarget(sent);
    expect([sent.url, sent.headers.host]).toEqual([target, "here"]);
  });
});

describe("a host", () => {
  test.each([
    [[], "1.1", "is missing"],
    [["here", "there"], "1.1", "was sent 2 times"],
    [["here", "here"], "1.0", "was sent 2 times"],
    [["a b"], "1.1", "'a b' is invalid"],
    [["http://here"], "1.1", "is invalid"],
    [["here, there"], "1.1", "is invalid"],
    [["me@here"], "1.0", "is invalid"],
  ])("%j of HTTP/%s is refused", (hosts, version, fault) => {
    expect(hostFault(message("/", hosts, version))).toContain(fault);
  });

  test.each([
    [["here"], "1.1"],
    [["here:8484"], "1.1"],
    [["[::1]:8484"], "1.1"],
    [[""], "1.1"],
    [[], "1.0"],
  ])("%j of HTTP/%s is right", (hosts, version) => {
    expect(hostFault(message("/", hosts, version))).toBeUndefined();
  });

  test("of a target in absolute form is checked, too", () => {
    const sent = message("http://me@there/", ["here"]);
    normalizeTarget(sent);
    expect(hostFault(sent)).toContain("'me@there' is invalid");
  });
});
