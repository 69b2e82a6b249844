"""Drives a server through the official Python client; the first failed assertion ends it."""

import base64
import os
import struct
import time
from datetime import datetime

import turbopuffer
from turbopuffer import Turbopuffer

MODEL = "openai/text-embedding-3-small"
PREFIX = f"python-{os.getpid()}"

client = Turbopuffer(api_key="any", max_retries=0, telemetry=True)


def namespace(name):
    return client.namespace(f"{PREFIX}-{name}")


def ids(answer):
    return [row.id for row in answer.rows or []]


def expect_fault(kind, text, call):
    try:
        call()
    except kind as fault:
        assert text in str(fault), fault
        assert isinstance(fault, turbopuffer.APIStatusError)
    else:
        raise AssertionError(f"{kind.__name__} was expected")


def base64_vector(*values):
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


docs = namespace("docs")


def writes():
    assert not docs.exists()
    answer = docs.write(
        distance_metric="euclidean_squared",
        schema={
            "text": {"type": "string", "full_text_search": True},
            "tags": "[]string",
            "at": "datetime",
            "price": "float",
        },
        upsert_rows=[
            {"id": 1, "vector": [0, 0], "text": "a red fish", "tags": ["a"], "price": 1.5},
            {"id": 2, "vector": [1, 0], "text": "blue water", "tags": ["a", "b"], "n": 2},
        ],
        return_affected_ids=True,
    )
    assert (answer.rows_affected, answer.rows_upserted) == (2, 2), answer
    assert answer.upserted_ids == [1, 2], answer
    assert answer.performance.server_total_ms > 0
    assert answer.billing.billable_logical_bytes_written > 0
    answer = docs.write(
        upsert_columns={
            "id": [3, 2**63],
            "vector": [[2, 0], [3, 0]],
            "text": ["red red fish", None],
            "at": ["2026-01-02T03:04:05Z", None],
        }
    )
    assert answer.rows_upserted == 2
    docs.write(upsert_rows=[{"id": 5, "vector": base64_vector(4, 0), "text": "deep"}])
    patched = docs.write(patch_rows=[{"id": 5, "n": 7}, {"id": 99, "n": 7}])
    assert patched.rows_patched == 1, patched
    held = docs.write(
        upsert_rows=[{"id": 5, "vector": [9, 9]}], upsert_condition=("n", "Lt", 7)
    )
    assert held.rows_affected == 0, held
    changed = docs.write(patch_by_filter={"filters": ("n", "Eq", 7), "patch": {"n": 8}})
    assert changed.rows_patched == 1 and changed.billing.query is not None, changed
    assert docs.exists()


def queries():
    near = ("vector", "ANN", [0, 0])
    answer = docs.query(rank_by=near, limit=2, include_attributes=["text", "tags", "n"])
    assert ids(answer) == [1, 2] and answer.rows[1]["$dist"] == 1, answer
    assert answer.rows[1].tags == ["a", "b"] and answer.rows[1]["n"] == 2
    assert answer.performance.query_execution_ms > 0
    assert answer.performance.client_total_ms > 0
    assert answer.billing.billable_logical_bytes_queried > 0
    assert ids(docs.query(rank_by=("text", "BM25", "red"), top_k=5)) == [3, 1]
    filters = ("And", (("tags", "Contains", "a"), ("Not", ("n", "Eq", 2))))
    assert ids(docs.query(filters=filters, limit=9)) == [1]
    assert ids(docs.query(rank_by=("id", "desc"), limit=2)) == [2**63, 5]
    assert ids(docs.query(rank_by=("id", "asc"), limit=2, offset=1)) == [2, 3]
    encoded = docs.query(
        rank_by=("vector", "kNN", [0, 0]),
        filters=("id", "In", [2]),
        limit=1,
        include_attributes=True,
        vector_encoding="base64",
    )
    assert encoded.rows[0].vector == base64_vector(1, 0), encoded
    dated = docs.query(filters=("at", "Gt", "2026-01-01"), limit=1, include_attributes=["at"])
    assert datetime.fromisoformat(dated.rows[0].at[:19]).year == 2026, dated
    totals = docs.query(aggregate_by={"all": ("Count",), "sum": ("Sum", "n")})
    assert totals.aggregations == {"all": 5, "sum": 10}, totals
    groups = docs.query(
        aggregate_by={"all": ("Count",)}, group_by=[{"tag": ("ForEachUnique", "tags")}]
    )
    found = [(group["tag"], group["all"]) for group in groups.aggregation_groups]
    assert found == [(None, 3), ("a", 2), ("b", 1)], found
    plan = docs.explain_query(rank_by=("text", "BM25", "red"), limit=1)
    assert "BM25" in plan.plan_text
    highlighted = docs.query(
        rank_by=("text", "BM25", "fish"),
        limit=1,
        compute_attributes={"why": ("Highlight", "text"), "far": ("vector", "VectorDist", [1, 0])},
    )
    assert highlighted.rows[0]["why"] and highlighted.rows[0]["far"] == 1, highlighted
    per = {"total": 5, "per": {"attributes": ["n"], "limit": 1}}
    limited = docs.query(rank_by=("id", "asc"), limit=per, include_attributes=["n"])
    assert ids(limited) == [1, 2, 5], limited


def multi_queries():
    near = {"rank_by": ("vector", "ANN", [0, 0]), "limit": 2, "include_attributes": ["text"]}
    text = {"rank_by": ("text", "BM25", "red"), "limit": 2, "include_attributes": ["text"]}
    count = {"aggregate_by": {"all": ("Count",)}}
    answer = docs.multi_query(queries=[near, {**text, "offset": 1}, count])
    assert [ids(result) for result in answer.results[:2]] == [[1, 2], [1]], answer
    assert answer.results[2].aggregations == {"all": 5}
    fused = docs.multi_query(queries=[near, text], rerank_by=("RRF",), limit={"total": 2}, offset=1)
    assert len(fused.results) == 1 and len(ids(fused.results[0])) == 2, fused
    expect_fault(
        turbopuffer.BadRequestError,
        "requires rerank_by and limit",
        lambda: docs.multi_query(queries=[near], offset=1),
    )


def reranking():
    rerank_by = {"model": "words", "attribute": "text", "query": "blue water"}
    near = {"rank_by": ("vector", "ANN", [0, 0]), "limit": 4, "include_attributes": ["text"]}
    answer = docs.query(**near, rerank_by=rerank_by)
    assert ids(answer)[0] == 2 and answer.rows[0]["$dist"] == 1, answer
    assert ids(answer)[-1] == 2**63, answer
    both = docs.multi_query(queries=[near, {**near, "limit": 1}], rerank_by=rerank_by, limit=1)
    assert [ids(result) for result in both.results] == [[2]], both
    expect_fault(
        turbopuffer.BadRequestError,
        "none that this server has: words",
        lambda: docs.query(**near, rerank_by={**rerank_by, "model": "other"}),
    )


def staleness():
    count = {"aggregate_by": {"all": ("Count",)}}
    eventual = {"level": "eventual", "max_staleness_seconds": 5}
    assert docs.query(**count, consistency=eventual).aggregations == {"all": 5}
    expect_fault(
        turbopuffer.BadRequestError,
        "max_staleness_seconds",
        lambda: docs.query(
            **count, consistency={"level": "strong", "max_staleness_seconds": 5}
        ),
    )


def embedding():
    embedded = namespace("embedded")
    written = embedded.write(
        distance_metric="cosine_distance",
        schema={"about": {"type": "string", "embed": MODEL}},
        upsert_rows=[{"id": "a", "about": "fish and water"}, {"id": "b", "about": "hills"}],
    )
    assert written.performance.embedding_tokens == 4, written
    answer = embedded.query(rank_by=("about", "ANN", ("Embed", "water")), limit=1)
    assert ids(answer) == ["a"]
    assert answer.performance.embedding_tokens == 1 and answer.performance.embedding_ms > 0


def metadata_and_schema():
    facts = docs.metadata()
    assert facts.approx_row_count == 5 and facts.encryption.mode == "default", facts
    assert facts.created_at.year >= 2026 and facts.index.status == "up-to-date"
    assert docs.schema()["text"].full_text_search.tokenizer == "word_v3"
    updated = docs.update_schema(schema={"n": {"type": "int", "filterable": False}})
    assert updated["n"].filterable is False
    expect_fault(
        turbopuffer.BadRequestError,
        "cannot change attribute type",
        lambda: docs.update_schema(schema={"n": "string"}),
    )
    assert docs.update_metadata(read_only=True).read_only is True
    expect_fault(
        turbopuffer.BadRequestError, "read-only", lambda: docs.write(deletes=[1])
    )
    assert docs.update_metadata(read_only=False, pinning=True).pinning.replicas == 1
    docs.update_metadata(pinning=False)


def copies():
    copy, branch = namespace("copy"), namespace("branch")
    copied = copy.copy_from(source_namespace=docs.id)
    assert copied.rows_affected == 5, copied
    branch.branch_from(source_namespace=docs.id)
    branch.write(deletes=[1])
    count = {"aggregate_by": {"all": ("Count",)}}
    found = [ns.query(**count).aggregations["all"] for ns in (docs, copy, branch)]
    assert found == [5, 5, 4], found
    assert branch.metadata().branching["parent"] == docs.id


def finished(ns, token):
    while (operation := ns.poll_copy_from(token)).status == "running":
        time.sleep(0.05)
    assert operation.start_time <= operation.finish_time, operation
    return operation.result


def started_copies():
    copy = namespace("started")
    result = finished(copy, copy.start_copy_from(source_namespace=docs.id).token)
    assert result.success.rows_affected == 5, result
    assert copy.query(aggregate_by={"all": ("Count",)}).aggregations == {"all": 5}
    none = namespace("none")
    started = none.start_copy_from(source_namespace=f"{PREFIX}-absent")
    fault = finished(none, started.token).error
    assert fault.status_code == 404 and "absent" in fault.detail.error, fault
    assert not none.exists()
    expect_fault(
        turbopuffer.NotFoundError, "was not found", lambda: copy.poll_copy_from("nonsense")
    )


def creation():
    empty = namespace("empty")
    expect_fault(
        turbopuffer.NotFoundError,
        "was not found",
        lambda: empty.write(upsert_rows=[{"id": 1}], create_namespace=False),
    )
    assert not empty.exists()
    expect_fault(
        turbopuffer.BadRequestError, "schema", lambda: empty.write(create_namespace=True)
    )
    empty.write(create_namespace=True, schema={"id": "uuid", "n": "int"})
    assert empty.metadata().approx_row_count == 0
    assert empty.schema()["id"].type == "uuid" and empty.schema()["n"].type == "int"
    expect_fault(
        turbopuffer.BadRequestError, "id", lambda: empty.write(upsert_rows=[{"id": 1}])
    )
    assert docs.write(patch_rows=[{"id": 5, "n": 8}], create_namespace=False).rows_patched == 1


def dropping():
    ns = namespace("dropped")
    ns.write(upsert_rows=[{"id": 1, "a": "kept", "b": "gone"}, {"id": 2, "b": "gone"}])
    assert "b" not in ns.update_schema(schema={"b": {"drop": True}})
    everything = {"rank_by": ("id", "asc"), "limit": 9, "include_attributes": True}
    rows = [row.to_dict() for row in ns.query(**everything).rows]
    assert rows == [{"id": 1, "a": "kept"}, {"id": 2}], rows
    expect_fault(
        turbopuffer.BadRequestError,
        "not found",
        lambda: ns.query(filters=("b", "Eq", "gone"), limit=1),
    )
    ns.write(upsert_rows=[{"id": 3, "b": 7}], schema={"a": {"drop": True}})
    rows = [row.to_dict() for row in ns.query(**everything).rows]
    assert rows == [{"id": 1}, {"id": 2}, {"id": 3, "b": 7}], rows
    assert ns.schema()["b"].type == "int" and "a" not in ns.schema()
    expect_fault(
        turbopuffer.APIStatusError,
        "drop",
        lambda: ns.update_schema(schema={"b": {"drop": False}}),
    )


def encryption():
    locked, copy = namespace("locked"), namespace("unlocked")
    key = {
        "mode": "customer-managed",
        "key_name": "first",
        "encryption_context": {"tenant": "t1"},
    }
    locked.write(upsert_rows=[{"id": 1}], encryption=key)
    assert locked.metadata().encryption.to_dict() == key, locked.metadata()
    assert ids(locked.query(rank_by=("id", "asc"), limit=2)) == [1]
    other = {**key, "encryption_context": {"tenant": "t2"}}
    started = copy.start_copy_from(source_namespace=locked.id, dest_encryption=other)
    assert finished(copy, started.token).success.rows_affected == 1
    assert copy.metadata().encryption.encryption_context == {"tenant": "t2"}
    refused = namespace("refused")
    for fault, changes in (
        ("aws:", {"encryption_context": {"aws:tenant": "t1"}}),
        ("second", {"key_name": "second"}),
    ):
        expect_fault(
            turbopuffer.BadRequestError,
            fault,
            lambda: refused.write(upsert_rows=[{"id": 1}], encryption={**key, **changes}),
        )
    assert not refused.exists()


def cache_and_recall():
    assert docs.hint_cache_warm().status in ("ACCEPTED", "OK")
    recall = docs.recall(num=2, top_k=2, include_ground_truth=True)
    assert recall.avg_recall == 1 and len(recall.ground_truth) == 2, recall


def listing():
    created = [namespace(f"page-{i}") for i in range(5)]
    for ns in created:
        ns.write(upsert_rows=[{"id": 1}])
    prefix = f"{PREFIX}-page-"
    page = client.namespaces(prefix=prefix, page_size=2)
    assert [item.id for item in page.namespaces] == [ns.id for ns in created[:2]], page
    assert [item.id for item in client.namespaces(prefix=prefix, page_size=2)] == [
        ns.id for ns in created
    ]


def faults():
    absent = namespace("absent")
    expect_fault(turbopuffer.NotFoundError, "was not found", lambda: absent.query(limit=1))
    expect_fault(
        turbopuffer.UnprocessableEntityError,
        "consistency.level: unknown variant `x`",
        lambda: docs.query(limit=1, consistency={"level": "x"}),
    )
    expect_fault(
        turbopuffer.BadRequestError,
        "not found in schema",
        lambda: docs.query(limit=1, include_attributes=["nothing"]),
    )
    expect_fault(
        turbopuffer.BadRequestError,
        "Namespace contains invalid characters",
        lambda: client.namespace("no spaces").query(limit=1),
    )


def compression():
    compressing = Turbopuffer(api_key="any", max_retries=0, compression=True)
    large = compressing.namespace(f"{PREFIX}-large")
    rows = [{"id": i, "vector": [i] * 256} for i in range(20)]
    large.write(distance_metric="euclidean_squared", upsert_rows=rows)
    answer = large.query(rank_by=("id", "asc"), limit=20, include_attributes=["vector"])
    assert answer.rows[19].vector == [19] * 256


def deletion():
    docs.write(deletes=[1], delete_by_filter=("id", "Eq", 2))
    assert docs.query(aggregate_by={"all": ("Count",)}).aggregations == {"all": 3}
    assert docs.delete_all().status == "OK"
    assert not docs.exists()
    expect_fault(turbopuffer.NotFoundError, "was not found", lambda: docs.delete_all())


STEPS = [
    writes,
    queries,
    multi_queries,
    reranking,
    staleness,
    embedding,
    metadata_and_schema,
    copies,
    started_copies,
    creation,
    dropping,
    encryption,
    cache_and_recall,
    listing,
    faults,
    compression,
    deletion,
]

for step in STEPS:
    step()
print(f"python, turbopuffer {turbopuffer.__version__}: {len(STEPS)} passed, 0 failed")
