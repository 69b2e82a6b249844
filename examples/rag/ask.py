"""Retrieval-augmented generation: finds the passages of a handbook that bear on a question, and has
a language model answer from them alone. Without one (`CHAT_URL`), it prints the passages.

    python examples/rag/ask.py "Why is the grinder so noisy?"
"""

import json
import os
import sys
import urllib.request
from pathlib import Path

from turbopuffer import Turbopuffer

MODEL = "trawl/static-en"  # the server makes the vectors; see docs/embedding.md
PASSAGES = 2

client = Turbopuffer(
    base_url=os.environ.get("TURBOPUFFER_BASE_URL", "http://127.0.0.1:8484"),
    api_key=os.environ.get("TURBOPUFFER_API_KEY", "unused"),
)
handbook = client.namespace("example-handbook")


def load():
    """Writes the handbook; ids make it safe to do so again."""
    passages = json.loads(Path(__file__).with_name("handbook.json").read_text("utf-8"))
    handbook.write(
        distance_metric="cosine_distance",
        schema={
            "text": {
                "type": "string",
                "full_text_search": {"stemming": True},
                "embed": {"model": MODEL},
            },
        },
        upsert_rows=passages,
    )


def retrieve(question):
    """What is near in meaning and what has the words, fused by rank."""
    shared = {"limit": 20, "include_attributes": ["page", "text"]}
    answer = handbook.multi_query(
        queries=[
            {"rank_by": ("text", "ANN", ("Embed", question)), **shared},
            {"rank_by": ("text", "BM25", question), **shared},
        ],
        rerank_by=("RRF",),
    )
    return answer.results[0].rows[:PASSAGES]


def prompt_of(question, passages):
    sources = "\n".join(f"[{row.id}] {row.page}: {row.text}" for row in passages)
    rule = "Answer from these sources alone, and name the ids that you used."
    return f"{rule}\n\n{sources}\n\n{question}"


def complete(url, prompt):
    """Asks any service with OpenAI's `/chat/completions`."""
    model = os.environ.get("CHAT_MODEL", "default")
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(
        f"{url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={
            "content-type": "application/json",
            "authorization": f"Bearer {os.environ.get('CHAT_API_KEY', '')}",
        },
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"]


question = sys.argv[1] if len(sys.argv) > 1 else "Why is the grinder so noisy?"
load()
passages = retrieve(question)
if "CHAT_URL" in os.environ:
    print(complete(os.environ["CHAT_URL"], prompt_of(question, passages)))
else:
    for row in passages:
        print(f"[{row.id}] {row.text}")
