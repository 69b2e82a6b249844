"""Product search: words in names and descriptions, filters, and facets with counts, all of one
request and so of one state of the shop.

    python examples/product-search/shop.py "waterproof" category=bags
"""

import json
import os
import sys
from pathlib import Path

from turbopuffer import Turbopuffer

# What customers may choose, and how a choice becomes a filter.
FACETS = {"category": "Eq", "brand": "Eq", "colours": "Contains"}

client = Turbopuffer(
    base_url=os.environ.get("TURBOPUFFER_BASE_URL", "http://127.0.0.1:8484"),
    api_key=os.environ.get("TURBOPUFFER_API_KEY", "unused"),
)
products = client.namespace("example-products")


def load():
    text = {"type": "string", "full_text_search": {"stemming": True}}
    products.write(
        schema={"name": text, "about": text, "price": "float"},
        upsert_rows=json.loads(Path(__file__).with_name("products.json").read_text("utf-8")),
    )


def filters_of(words, choices, without=None):
    """The words, and all choices but that of one facet: its counts show what else could be chosen."""
    found = [(facet, FACETS[facet], value) for facet, value in choices.items() if facet != without]
    matches = [
        (attribute, "ContainsAnyToken", words, {"last_as_prefix": True})
        for attribute in ("name", "about")
    ]
    return ("And", [("Or", matches), *found])


def group_of(facet):
    """A product counts in the group of each of its colours."""
    return {facet: ("ForEachUnique", facet)} if FACETS[facet] == "Contains" else facet


def search(words, choices):
    hits = {
        # A word in the name counts for more than one in the description.
        "rank_by": (
            "Sum",
            [
                ("Product", 3, ("name", "BM25", words, {"last_as_prefix": True})),
                ("about", "BM25", words, {"last_as_prefix": True}),
            ],
        ),
        "filters": filters_of(words, choices),
        "limit": 5,
        "include_attributes": ["name", "brand", "price"],
    }
    counts = [
        {
            "aggregate_by": {"products": ("Count",)},
            "group_by": [group_of(facet)],
            "filters": filters_of(words, choices, without=facet),
        }
        for facet in FACETS
    ]
    found, *counted = products.multi_query(queries=[hits, *counts]).results
    for row in found.rows:
        print(f"{row.name} ({row.brand}) {row.price:g}")
    for facet, result in zip(FACETS, counted):
        groups = [f"{group[facet]} {group['products']}" for group in result.aggregation_groups]
        print(f"{facet}: {', '.join(groups)}")


words = sys.argv[1] if len(sys.argv) > 1 else "waterproof"
load()
search(words, dict(choice.split("=") for choice in sys.argv[2:]))
