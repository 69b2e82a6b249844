import { expect, test } from "vitest";
import { readAddress, readFilter } from "./map-address.ts";

const CHOICES = {
  vectors: [
    { attribute: "a", dims: 2, isCosine: true, embeds: undefined },
    { attribute: "b", dims: 3, isCosine: true, embeds: "text" },
  ],
  colors: ["genre"],
  hidden: ["a", "b"],
  idType: "uint",
};

test("an address says what is drawn, and how", () => {
  const text =
    "vector=b&points=50000&color=genre&by=umap&near=7&drag=lasso&view=0.5_0.5_2&selected=all&" +
    'filter=["year","Gte",1990]';
  expect(readAddress(new URLSearchParams(text), CHOICES)).toEqual({
    vector: CHOICES.vectors[1],
    wanted: 20_000,
    filter: { text: '["year","Gte",1990]', value: ["year", "Gte", 1990] },
    color: "genre",
    method: "umap",
    mode: "lasso",
    view: "0.5_0.5_2",
    selected: "all",
    near: { kind: "document", id: 7 },
  });
});

test("what it does not say is as at the start", () => {
  const text = "vector=no&points=7&color=no&by=no&near=x&words=red fox";
  expect(readAddress(new URLSearchParams(text), CHOICES)).toEqual({
    vector: CHOICES.vectors[0],
    wanted: 5000,
    filter: { text: "", value: undefined },
    color: undefined,
    method: "pca",
    mode: "move",
    view: undefined,
    selected: undefined,
    near: { kind: "words", text: "red fox" },
  });
});

test("a filter that is none says why", () => {
  expect(readFilter("{}").fault).toContain("a filter is a list");
  expect(readFilter("[").fault).toContain("no JSON");
  expect(readFilter(" ").fault).toBeUndefined();
});
