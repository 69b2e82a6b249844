import { expect, test } from "vitest";
import { ListLayout, PAGE_ORDINALS } from "./list-layout.ts";

const PAGES = [1, 2, 3, 16, 153];

test.each(PAGES)("in %i pages the units of a list tell its postings", (pages) => {
  for (const numberBytes of [1, 2]) {
    const layout = new ListLayout(pages * PAGE_ORDINALS, numberBytes);
    expect(layout.pageCount).toBe(pages);
    let last = 0;
    for (let count = 1; count < 4 * pages + 100; count++) {
      const units = layout.units(count);
      expect(layout.count(units), `${count} postings`).toBe(count);
      // What lies between two lengths is of no list.
      for (let other = last + 1; other < units; other++) {
        expect(layout.units(layout.count(other)), `${other} units`).not.toBe(other);
      }
      last = units;
    }
    const most = 0xffff_ffff >>> 1;
    expect(layout.count(layout.units(most))).toBe(most);
  }
});

test("a posting has three bytes with a frequency, four with a weight, its page if needed", () => {
  const units = (documents: number, bytes: number, count: number) =>
    new ListLayout(documents, bytes).units(count);
  expect(units(PAGE_ORDINALS, 1, 1000)).toBe(1500);
  expect(units(PAGE_ORDINALS, 2, 1000)).toBe(2000);
  expect(units(PAGE_ORDINALS, 1, 1)).toBe(2);
  expect(units(PAGE_ORDINALS + 1, 1, 3)).toBe(3 + 3 + 2);
  expect(units(PAGE_ORDINALS + 1, 1, 4)).toBe(4 + 4 + 2);
  expect(units(PAGE_ORDINALS + 1, 1, 1000)).toBe(4 + 1500);
});
