/** What deploy/Dockerfile says, and how it is read. `scripts/ci-deploy.sh` runs it. */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandOf, environmentOf, parseDockerfile } from "../../scripts/image/dockerfile.ts";
import { environmentName, SETTINGS } from "../../src/cli/settings/setting-table.ts";

const [build, image] = parseDockerfile(readFileSync("deploy/Dockerfile", "utf8"));

function only(name: string) {
  const found = image.instructions.filter((instruction) => instruction.name === name);
  expect(found).toHaveLength(1);
  return found[0];
}

describe("a Dockerfile is read", () => {
  test("by stages, with flags, lists and lines that go on", () => {
    const stages = parseDockerfile(
      `# first\nARG BASE=x:1\nFROM $\{BASE} AS a\nRUN one && \\\n    two\n\nFROM y\n` +
        'COPY --from=a --chown=1:2 /p /q\nENV A=1 \\\n  B=2\nCMD ["n", "--x=1"]\n',
    );
    expect(stages).toMatchObject([
      { base: "x:1", name: "a", instructions: [{ name: "RUN", text: "one && two" }] },
      {
        base: "y",
        name: undefined,
        instructions: [
          { name: "COPY", flags: { from: "a", chown: "1:2" }, words: ["/p", "/q"] },
          { name: "ENV", words: ["A=1", "B=2"] },
          { name: "CMD", words: ["n", "--x=1"] },
        ],
      },
    ]);
    expect(environmentOf(stages[1].instructions[1])).toEqual({ A: "1", B: "2" });
  });

  test("and refused where it says what is not understood", () => {
    expect(() => parseDockerfile("FROM x\nSHELL y")).toThrow("SHELL y: SHELL is not understood");
    expect(() => parseDockerfile("RUN x\nFROM y")).toThrow("only ARG may stand before FROM");
  });
});

test("the image runs as a user of its own, in a directory that is the user's", () => {
  const [user] = only("USER").words;
  expect(user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
  const { VOLUME, TRAWL_DATA_DIR } = {
    VOLUME: only("VOLUME").words[0],
    ...environmentOf(only("ENV")),
  } as Record<string, string>;
  expect(VOLUME).toBe(TRAWL_DATA_DIR);
  const data = image.instructions.find(({ name, words }) => name === "COPY" && words[1] === VOLUME);
  expect(data?.flags.chown).toBe(user);
});

test("the image sets settings that there are, and no key", () => {
  const names = SETTINGS.map(environmentName);
  const set = Object.keys(environmentOf(only("ENV"))).filter((name) => name.startsWith("TRAWL_"));
  expect(set.filter((name) => !names.includes(name))).toEqual([]);
  expect(set).not.toContain("TRAWL_API_KEY");
});

test("the image's programs are those of the package", () => {
  const commands = [...only("ENTRYPOINT").words, ...commandOf(only("HEALTHCHECK"))];
  const programs = commands.filter((word) => word.endsWith(".js"));
  expect(programs).toHaveLength(2);
  const packed = readFileSync("scripts/pack.ts", "utf8");
  for (const program of programs) {
    const path = program.replace("/opt/trawl/", "");
    expect(existsSync(path)).toBe(true);
    expect(packed).toContain(`"${path}"`);
  }
});

test("the build's steps stay in their folder, so that they can be run without a builder", () => {
  for (const { name, text } of [...build.instructions, ...image.instructions]) {
    if (name === "RUN") expect(text).not.toMatch(/(?:^|[\s='"])\//);
  }
});
