"""Notes of many tenants: a namespace for each, so that no query of one can find, count or slow down
what is another's, and a tenant who leaves is deleted by one request.

    python examples/tenant-notes/notes.py
"""

import os

from turbopuffer import Turbopuffer

PREFIX = "example-notes-"

client = Turbopuffer(
    base_url=os.environ.get("TURBOPUFFER_BASE_URL", "http://127.0.0.1:8484"),
    api_key=os.environ.get("TURBOPUFFER_API_KEY", "unused"),
)


class Notes:
    """What one tenant may do. The name comes from the session, never from the request."""

    def __init__(self, tenant):
        self.namespace = client.namespace(PREFIX + tenant)

    def save(self, id, version, text):
        """Saves a version of a note, unless a newer one is there: two devices may send at once."""
        answer = self.namespace.write(
            schema={"text": {"type": "string", "full_text_search": {"stemming": True}}},
            upsert_rows=[{"id": id, "version": version, "text": text}],
            upsert_condition=("version", "Lt", {"$ref_new": "version"}),
        )
        return answer.rows_affected == 1

    def search(self, words):
        answer = self.namespace.query(
            rank_by=("text", "BM25", words, {"last_as_prefix": True}),
            limit=10,
            include_attributes=["text"],
        )
        return [row.text for row in answer.rows]

    def leave(self):
        self.namespace.delete_all()


def tenants():
    return [found.id.removeprefix(PREFIX) for found in client.namespaces(prefix=PREFIX)]


ada, ben = Notes("ada"), Notes("ben")
ada.save(1, 1, "Call the dentist on Monday")
ada.save(2, 1, "Water the tomatoes")
ben.save(1, 1, "Dentist: ask for the bill")

print("newer version saved:", str(ada.save(1, 3, "Call the dentist")).lower())
print("older version saved:", str(ada.save(1, 2, "Late")).lower())
print("ada finds:", " | ".join(ada.search("dent")))
print("ben finds:", " | ".join(ben.search("dent")))
print("tenants:", ", ".join(tenants()))
ada.leave()
print("tenants:", ", ".join(tenants()))
ben.leave()
