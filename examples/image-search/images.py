"""Image search by vectors that are computed beforehand: here histograms of colours, of tiny pictures
that are painted below. Those of a model such as CLIP are written and searched the same way.

    python examples/image-search/images.py forest
"""

import os
import sys

from turbopuffer import Turbopuffer

SIZE = 16
LEVELS = 4  # each channel of a colour is one of so many, so that a histogram has 4 × 4 × 4 bins

# Pictures are a sky above a ground; `shade` is how bright, from 0 to 1.
SCENES = {
    "sunset": lambda y, shade: (255 * shade, 90 + 8 * y, 40) if y < 9 else (60, 30, 50 * shade),
    "sea": lambda y, shade: (150, 200 * shade, 250) if y < 5 else (10, 80, 120 + 120 * shade),
    "forest": lambda y, shade: (170, 210, 240 * shade) if y < 4 else (30, 70 + 90 * shade, 40),
}


def paint(scene, shade):
    return [SCENES[scene](i // SIZE, shade) for i in range(SIZE * SIZE)]


def histogram(pixels):
    """How much of a picture has each colour; the sum is 1."""
    bins = [0.0] * LEVELS**3
    for colour in pixels:
        bin = 0
        for channel in colour:
            bin = bin * LEVELS + int(channel // 64)
        bins[bin] += 1 / len(pixels)
    return bins


client = Turbopuffer(
    base_url=os.environ.get("TURBOPUFFER_BASE_URL", "http://127.0.0.1:8484"),
    api_key=os.environ.get("TURBOPUFFER_API_KEY", "unused"),
)
images = client.namespace("example-images")


def ids_of(rows):
    return ", ".join(row.id for row in rows)


images.write(
    distance_metric="cosine_distance",
    upsert_rows=[
        {
            "id": f"{scene}-{i + 1}",
            "scene": scene,
            "bright": shade > 0.8,
            "vector": histogram(paint(scene, shade)),
        }
        for scene in SCENES
        for i, shade in enumerate([0.55, 0.7, 0.85, 1])
    ],
)

scene = sys.argv[1] if len(sys.argv) > 1 else "forest"
query = histogram(paint(scene, 0.75))
like = images.query(rank_by=("vector", "ANN", query), limit=3)
print(f"like a {scene}:", ids_of(like.rows))
bright = images.query(
    rank_by=("vector", "ANN", query),
    filters=("bright", "Eq", True),
    limit=2,
)
print("of bright ones:", ids_of(bright.rows))
others = images.query(
    rank_by=("vector", "ANN", query),
    filters=("scene", "NotEq", scene),
    limit=1,
    include_attributes=["scene"],
)
print("most alike of others:", others.rows[0].scene)
