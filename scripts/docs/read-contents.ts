/** Which pages there are, and in which order: docs/contents.json. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageGroup } from "./doc-page.ts";

/** Decisions stand in a list of their own, by their numbers. */
const DECISIONS = "adr/";

/** The files of a folder of documentation. */
export interface Contents {
  /**
   * In the order in which they are read. Pages are paths of files below the folder, and all of them
   * are there; those that no group names are in one at the end.
   */
  readonly groups: readonly PageGroup[];
  /** Files about decisions, by their numbers. */
  readonly decisions: readonly string[];
  /** Files that no group has, and files of groups that are not there. */
  readonly faults: readonly string[];
}

/** Reads the order, and compares it with the files that there are. */
export function readContents(folder: string): Contents {
  const named: PageGroup[] = JSON.parse(readFileSync(join(folder, "contents.json"), "utf8"));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md"))
    .sort();
  const listed = named.flatMap(({ pages }) => pages);
  const pages = files.filter((path) => !path.startsWith(DECISIONS));
  const others = pages.filter((path) => !listed.includes(path));
  const groups = [...named, { title: "Further", pages: others }].map((group) => ({
    ...group,
    pages: group.pages.filter((path) => pages.includes(path)),
  }));
  return {
    groups: groups.filter((group) => group.pages.length > 0),
    decisions: files.filter((path) => path.startsWith(DECISIONS)),
    faults: [
      ...others.map((path) => `docs/${path} is in no group of docs/contents.json; add it to one`),
      ...listed
        .filter((path) => !pages.includes(path))
        .map((path) => `docs/contents.json names ${path}, which is not there; take it out`),
      ...listed
        .filter((path, i) => listed.indexOf(path) < i)
        .map((path) => `docs/contents.json names ${path} twice; take one out`),
    ],
  };
}
