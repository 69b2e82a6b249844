//! Drives a server through the official Rust client; the first failed assertion ends it.

use futures::TryStreamExt;
use serde_json::{json, Value};
use std::time::Duration;
use turbopuffer::types::{
    AggregateBy, AttributeSchemaConfig, AttributeSchemaDrop, Columns, CopyFromNamespaceOperation,
    CopyFromNamespaceOperationResult, DistanceMetric, Encryption, EncryptionCustomerManaged, Expr,
    Filter, GroupBy, Id, Query, RankBy, RerankBy, RerankLimit, RerankModelParams, Row,
    VectorEncoding,
};
use turbopuffer::{ApiErrorKind, Client, Error, Namespace};

type Outcome = Result<(), Error>;

fn ids(rows: &[Row]) -> Vec<u64> {
    rows.iter()
        .map(|row| serde_json::to_value(&row.id).unwrap().as_u64().unwrap())
        .collect()
}

fn expect_fault<T>(outcome: Result<T, Error>, kind: ApiErrorKind, text: &str) {
    match outcome {
        Err(Error::Api(fault)) => {
            assert_eq!(fault.kind(), kind, "{}", fault.message);
            assert!(fault.message.contains(text), "{}", fault.message);
        }
        Err(fault) => panic!("{fault}"),
        Ok(_) => panic!("{text} was expected"),
    }
}

fn near() -> RankBy {
    RankBy::ann("vector", [0.0, 0.0])
}

async fn count(ns: &Namespace) -> Result<Value, Error> {
    let answer = ns
        .query()
        .aggregate_by([("all", AggregateBy::count())])
        .send()
        .await?;
    Ok(json!(answer.aggregations)["all"].clone())
}

async fn writes(docs: &Namespace) -> Outcome {
    let answer = docs
        .write()
        .distance_metric(DistanceMetric::EuclideanSquared)
        .schema([
            (
                "text",
                AttributeSchemaConfig::new("string").full_text_search(true),
            ),
            ("price", AttributeSchemaConfig::new("float")),
        ])
        .upsert_rows([
            Row::new(1)
                .vector([0.0, 0.0])
                .insert("text", "a red fish")
                .insert("price", 1.5),
            Row::new(2)
                .vector([1.0, 0.0])
                .insert("text", "blue water")
                .insert("n", 2),
        ])
        .return_affected_ids(true)
        .send()
        .await?;
    assert_eq!((answer.rows_affected, answer.rows_upserted), (2, Some(2)));
    assert_eq!(answer.upserted_ids, [Id::Int(1), Id::Int(2)]);
    let columns = Columns::new([3u64, u64::MAX])
        .insert("vector", [[2.0, 0.0], [3.0, 0.0]])
        .insert("text", [Some("red red fish"), None]);
    assert_eq!(
        docs.write()
            .upsert_columns(columns)
            .send()
            .await?
            .rows_upserted,
        Some(2)
    );
    let patched = docs
        .write()
        .patch_rows([Row::new(3).insert("n", 7)])
        .send()
        .await?;
    assert_eq!(patched.rows_patched, Some(1));
    Ok(())
}

async fn queries(docs: &Namespace) -> Outcome {
    let answer = docs
        .query()
        .rank_by(near())
        .limit(2u64)
        .include_attributes(true)
        .send()
        .await?;
    assert_eq!(ids(&answer.rows), [1, 2]);
    let second = &answer.rows[1];
    assert_eq!(
        (second.dist(), second.get("n")),
        (Some(1.0), Some(&json!(2)))
    );
    assert!(answer.performance.query_execution_ms > 0);
    let text = docs
        .query()
        .rank_by(RankBy::bm25("text", "red"))
        .limit(5u64)
        .send()
        .await?;
    assert_eq!(ids(&text.rows), [3, 1]);
    let filter = Filter::and([Filter::gt("n", 1), Filter::not_eq("n", 7)]);
    let filtered = docs.query().filters(filter).limit(9u64).send().await?;
    assert_eq!(ids(&filtered.rows), [2]);
    let last = docs
        .query()
        .rank_by(RankBy::attribute("id", "desc"))
        .limit(2u64)
        .offset(1);
    assert_eq!(ids(&last.send().await?.rows), [3, 2]);
    assert_eq!(count(docs).await?, json!(4));
    let groups = docs.query().aggregate_by([("all", AggregateBy::count())]);
    let groups = groups.group_by([GroupBy::attr("n")]).send().await?;
    assert_eq!(
        json!(groups.aggregation_groups).as_array().unwrap().len(),
        3
    );
    let computed = docs
        .query()
        .rank_by(near())
        .limit(1u64)
        .compute_attributes([("far", Expr::vector_dist("vector", [1.0, 0.0]))])
        .include_attributes(vec!["vector"])
        .vector_encoding(VectorEncoding::Base64)
        .send()
        .await?;
    assert_eq!(
        computed.rows[0].get("far").and_then(Value::as_f64),
        Some(1.0)
    );
    let plan = docs
        .explain_query()
        .rank_by(RankBy::bm25("text", "red"))
        .limit(1u64)
        .send()
        .await?;
    assert!(json!(plan).to_string().contains("BM25"));
    Ok(())
}

async fn multi_queries(docs: &Namespace) -> Outcome {
    let vector = || {
        Query::new()
            .rank_by(near())
            .limit(2u64)
            .include_attributes(vec!["text"])
    };
    let text = || {
        Query::new()
            .rank_by(RankBy::bm25("text", "red"))
            .limit(2u64)
    };
    let counted = Query::new().aggregate_by([("all", AggregateBy::count())]);
    let answer = docs
        .multi_query([vector(), text().offset(1), counted])
        .send()
        .await?;
    assert_eq!(ids(&answer.results[0].rows), [1, 2]);
    assert_eq!(ids(&answer.results[1].rows), [1]);
    let fused = docs
        .multi_query([vector(), text()])
        .rerank_by(RerankBy::rrf());
    let fused = fused.limit(RerankLimit::new(2)).offset(1).send().await?;
    assert_eq!(
        (fused.results.len(), ids(&fused.results[0].rows).len()),
        (1, 2)
    );
    let words = RerankModelParams::new("words", "text", "blue water");
    let single = docs
        .query()
        .rank_by(near())
        .limit(4u64)
        .include_attributes(vec!["text"]);
    let single = single.rerank_by(words.clone()).send().await?;
    assert_eq!(single.rows[0].dist(), Some(1.0));
    assert_eq!(ids(&single.rows)[0], 2);
    let both = docs
        .multi_query([vector(), vector()])
        .rerank_by(words)
        .limit(1u64)
        .send()
        .await?;
    assert_eq!(ids(&both.results[0].rows), [2]);
    let other = RerankModelParams::new("other", "text", "blue");
    let unknown = docs.multi_query([vector()]).rerank_by(other).send().await;
    expect_fault(
        unknown,
        ApiErrorKind::BadRequest,
        "none that this server has: words",
    );
    let offset = docs.multi_query([vector()]).offset(1).send().await;
    expect_fault(
        offset,
        ApiErrorKind::BadRequest,
        "requires rerank_by and limit",
    );
    Ok(())
}

async fn metadata_and_schema(docs: &Namespace) -> Outcome {
    let facts = docs.metadata().send().await?;
    assert_eq!(facts.approx_row_count, 4);
    assert!(json!(docs.schema().send().await?)["text"]["full_text_search"].is_object());
    let n = AttributeSchemaConfig::new("int").filterable(false);
    let updated = docs.update_schema([("n", n)]).send().await?;
    assert_eq!(json!(updated)["n"]["filterable"], json!(false));
    docs.update_metadata().read_only(true).send().await?;
    let refused = docs.write().deletes([1u64]).send().await;
    expect_fault(refused, ApiErrorKind::BadRequest, "read-only");
    docs.update_metadata().read_only(false).send().await?;
    Ok(())
}

async fn copies(docs: &Namespace, copy: &Namespace, branch: &Namespace) -> Outcome {
    assert_eq!(copy.copy_from(docs.id()).send().await?.rows_affected, 4);
    branch.branch_from(docs.id()).send().await?;
    branch.write().deletes([1u64]).send().await?;
    assert_eq!(
        (count(copy).await?, count(branch).await?),
        (json!(4), json!(3))
    );
    docs.hint_cache_warm().send().await?;
    let recall = docs.recall().num(2).top_k(2).send().await?;
    assert_eq!(json!(recall)["avg_recall"], json!(1.0));
    Ok(())
}

async fn finished(ns: &Namespace, token: &str) -> Result<CopyFromNamespaceOperationResult, Error> {
    loop {
        match ns.poll_copy_from(token).send().await? {
            CopyFromNamespaceOperation::Finished(operation) => {
                assert!(operation.start_time <= operation.finish_time);
                return Ok(operation.result);
            }
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn started_copies(docs: &Namespace, copy: &Namespace, none: &Namespace) -> Outcome {
    let started = copy.start_copy_from(docs.id()).send().await?;
    match finished(copy, &started.token).await? {
        CopyFromNamespaceOperationResult::Success(result) => assert_eq!(result.rows_affected, 4),
        other => panic!("{other:?}"),
    }
    assert_eq!(count(copy).await?, json!(4));
    let started = none.start_copy_from("nowhere").send().await?;
    match finished(none, &started.token).await? {
        CopyFromNamespaceOperationResult::Error(fault) => {
            assert_eq!(fault.status_code, 404);
            assert!(fault.detail.error.contains("nowhere"), "{fault:?}");
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

async fn creation_and_dropping(ns: &Namespace) -> Outcome {
    let row = || Row::new(1).insert("a", "kept").insert("b", "gone");
    let held = ns.write().upsert_rows([row()]).create_namespace(false);
    expect_fault(held.send().await, ApiErrorKind::NotFound, "was not found");
    let created = ns.write().create_namespace(true);
    created.schema([("id", "uint")]).send().await?;
    assert_eq!(ns.metadata().send().await?.approx_row_count, 0);
    ns.write().upsert_rows([row()]).send().await?;
    let dropped = [("b", AttributeSchemaDrop::new(true))];
    let left = json!(ns.update_schema(dropped).send().await?);
    assert!(left.get("a").is_some() && left.get("b").is_none(), "{left}");
    let anew = ns.write().upsert_rows([Row::new(2).insert("b", 7)]);
    let anew = anew.schema([("a", AttributeSchemaDrop::new(true))]);
    anew.send().await?;
    let by_id = ns.query().rank_by(RankBy::attribute("id", "asc"));
    let rows = by_id
        .limit(9u64)
        .include_attributes(true)
        .send()
        .await?
        .rows;
    assert_eq!(ids(&rows), [1, 2]);
    assert_eq!(rows[0].get("b").unwrap_or(&Value::Null), &Value::Null);
    assert_eq!(rows[1].get("b"), Some(&json!(7)));
    assert!(rows.iter().all(|row| row.get("a").is_none()));
    Ok(())
}

async fn encryption(locked: &Namespace, refused: &Namespace) -> Outcome {
    let row = || [Row::new(1)];
    let key = EncryptionCustomerManaged::new("first");
    locked
        .write()
        .upsert_rows(row())
        .encryption(key.clone())
        .send()
        .await?;
    let facts = locked.metadata().send().await?;
    assert_eq!(facts.encryption, Encryption::CustomerManaged(key));
    assert_eq!(count(locked).await?, json!(1));
    let unknown = EncryptionCustomerManaged::new("second");
    let written = refused.write().upsert_rows(row()).encryption(unknown);
    expect_fault(written.send().await, ApiErrorKind::BadRequest, "second");
    Ok(())
}

async fn listing(client: &Client, prefix: &str) -> Outcome {
    let mut expected = Vec::new();
    for i in 0..5 {
        let ns = client.namespace(format!("{prefix}-page-{i}"));
        ns.write().upsert_rows([Row::new(1)]).send().await?;
        expected.push(ns.id().to_owned());
    }
    let listed = client
        .namespaces()
        .prefix(format!("{prefix}-page-"))
        .page_size(2);
    let found: Vec<_> = listed
        .into_stream()
        .map_ok(|item| item.id)
        .try_collect()
        .await?;
    assert_eq!(found, expected);
    Ok(())
}

async fn faults_and_deletion(client: &Client, docs: &Namespace, prefix: &str) -> Outcome {
    let absent = client.namespace(format!("{prefix}-absent"));
    let missing = absent.query().limit(1u64).send().await;
    expect_fault(missing, ApiErrorKind::NotFound, "was not found");
    let unknown = docs
        .query()
        .limit(1u64)
        .include_attributes(vec!["nothing"])
        .send()
        .await;
    expect_fault(unknown, ApiErrorKind::BadRequest, "not found in schema");
    docs.write()
        .deletes([1u64])
        .delete_by_filter(Filter::eq("id", 2))
        .send()
        .await?;
    assert_eq!(count(docs).await?, json!(2));
    docs.delete_all().send().await?;
    expect_fault(
        docs.metadata().send().await,
        ApiErrorKind::NotFound,
        "was not found",
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = format!("rust-{}", std::process::id());
    let client = Client::builder().max_retries(0).telemetry(true).build()?;
    let docs = client.namespace(format!("{prefix}-docs"));
    writes(&docs).await?;
    queries(&docs).await?;
    multi_queries(&docs).await?;
    metadata_and_schema(&docs).await?;
    let (copy, branch) = ("copy", "branch");
    let named = |kind| client.namespace(format!("{prefix}-{kind}"));
    copies(&docs, &named(copy), &named(branch)).await?;
    started_copies(&docs, &named("started"), &named("none")).await?;
    creation_and_dropping(&named("dropped")).await?;
    encryption(&named("locked"), &named("refused")).await?;
    listing(&client, &prefix).await?;
    faults_and_deletion(&client, &docs, &prefix).await?;
    println!("rust, turbopuffer 0.1.0-beta.2: 10 passed, 0 failed");
    Ok(())
}
