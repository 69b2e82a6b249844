import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/servers/run-cli.ts";

const run = promisify(execFile);

async function script(shell: string): Promise<string> {
  const { code, out } = await runCli(["completion", shell]);
  expect(code).toBe(0);
  return out;
}

describe("bash", () => {
  /** What bash offers for the last of `words`, with a server that has two namespaces. */
  async function offered(...words: string[]): Promise<string[]> {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const program = `
trawl() { [ "$1" = ls ] && printf 'books\\nboats\\n'; }
${await script("bash")}
COMP_WORDS=(trawl ${quoted}); COMP_CWORD=${words.length}
_trawl
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["-c", program]);
    return stdout.split("\n").filter((line) => line !== "");
  }

  test("offers commands", async () => {
    expect(await offered("s")).toEqual(["serve", "stats", "schema"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["ls", "export", "completion"]));
  });

  test("offers a command's options", async () => {
    expect(await offered("export", "--no")).toEqual(["--no-vectors"]);
    expect(await offered("query", "books", "--te")).toEqual(["--text"]);
    expect(await offered("serve", "--data")).toEqual(["--data-dir"]);
  });

  test("offers namespaces where names of them belong", async () => {
    expect(await offered("stats", "")).toEqual(["books", "boats"]);
    expect(await offered("copy", "books", "boa")).toEqual(["boats"]);
    expect(await offered("export", "--namespace", "boo")).toEqual(["books"]);
    expect(await offered("stats", "books", "")).toEqual([]);
    expect(await offered("query", "--text", "boo")).toEqual([]);
  });
});

describe("zsh and fish", () => {
  test("have all commands and options in their own form", async () => {
    const zsh = await script("zsh");
    expect(zsh).toMatch(/^#compdef trawl\n/);
    expect(zsh).toContain("'ls:list namespaces, with their documents and sizes'");
    expect(zsh).toContain("    copy) options=('--url:the server (default\\: http\\://127");
    const fish = await script("fish");
    expect(fish).toContain(
      "complete -c trawl -n __fish_use_subcommand -f -a stats -d 'show a namespace\\'s size,",
    );
    expect(fish).toContain(
      "complete -c trawl -n '__fish_seen_subcommand_from export' -l namespace -x -a \"(trawl ls",
    );
  });
});

test("another shell is refused with those that there are", async () => {
  const { code, err } = await runCli(["completion", "csh"]);
  expect([code, err]).toEqual([2, expect.stringContaining("Allowed choices are bash, zsh, fish")]);
});
