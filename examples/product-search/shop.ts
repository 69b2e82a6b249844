/**
 * Product search: words in names and descriptions, filters, and facets with counts, all of one
 * request and so of one state of the shop.
 *
 *     node examples/product-search/shop.ts "waterproof" category=bags
 */

import { readFileSync } from "node:fs";
import Turbopuffer from "@turbopuffer/turbopuffer";
import type { AggregateBy, Filter, GroupBy } from "@turbopuffer/turbopuffer/resources/custom";

/** What customers may choose, and how a choice becomes a filter. */
const FACETS = { category: "Eq", brand: "Eq", colours: "Contains" } as const;
type Facet = keyof typeof FACETS;

const client = new Turbopuffer({
  baseURL: process.env.TURBOPUFFER_BASE_URL ?? "http://127.0.0.1:8484",
  apiKey: process.env.TURBOPUFFER_API_KEY ?? "unused",
});
const products = client.namespace("example-products");

async function load(): Promise<void> {
  const file = new URL("products.json", import.meta.url);
  const text = { type: "string", full_text_search: { stemming: true } } as const;
  await products.write({
    schema: { name: text, about: text, price: "float" },
    upsert_rows: JSON.parse(readFileSync(file, "utf8")),
  });
}

/** The words, and all choices but that of one facet: its counts show what else could be chosen. */
function filtersOf(words: string, choices: ReadonlyMap<Facet, string>, without?: Facet): Filter {
  const chosen = [...choices].filter(([facet]) => facet !== without);
  const found: Filter[] = chosen.map(([facet, value]) => [facet, FACETS[facet], value] as Filter);
  const matches: Filter[] = [
    ["name", "ContainsAnyToken", words, { last_as_prefix: true }],
    ["about", "ContainsAnyToken", words, { last_as_prefix: true }],
  ];
  return ["And", [["Or", matches], ...found]];
}

/** A product counts in the group of each of its colours. */
function groupOf(facet: Facet): GroupBy {
  return FACETS[facet] === "Contains" ? { [facet]: ["ForEachUnique", facet] } : facet;
}

async function search(words: string, choices: ReadonlyMap<Facet, string>): Promise<void> {
  const facets = Object.keys(FACETS) as Facet[];
  const { results } = await products.multiQuery({
    queries: [
      {
        // A word in the name counts for more than one in the description.
        rank_by: [
          "Sum",
          [
            ["Product", 3, ["name", "BM25", words, { last_as_prefix: true }]],
            ["about", "BM25", words, { last_as_prefix: true }],
          ],
        ],
        filters: filtersOf(words, choices),
        limit: 5,
        include_attributes: ["name", "brand", "price"],
      },
      ...facets.map((facet) => ({
        aggregate_by: { products: ["Count"] satisfies AggregateBy },
        group_by: [groupOf(facet)],
        filters: filtersOf(words, choices, facet),
      })),
    ],
  });
  const [hits, ...counts] = results;
  for (const { name, brand, price } of hits.rows ?? []) console.log(`${name} (${brand}) ${price}`);
  facets.forEach((facet, i) => {
    const groups = counts[i].aggregation_groups ?? [];
    const shown = groups.map((group) => `${group[facet]} ${group.products}`);
    console.log(`${facet}: ${shown.join(", ")}`);
  });
}

const [words = "waterproof", ...choices] = process.argv.slice(2);
await load();
await search(words, new Map(choices.map((choice) => choice.split("=") as [Facet, string])));
