// Drives a server through the official Go client; the first expectation that is not met ends it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/turbopuffer/turbopuffer-go/v2"
	"github.com/turbopuffer/turbopuffer-go/v2/option"
)

type (
	writeParams = turbopuffer.NamespaceWriteParams
	queryParams = turbopuffer.NamespaceQueryParams
	multiParams = turbopuffer.NamespaceMultiQueryParams
	subquery    = turbopuffer.NamespaceMultiQueryParamsQuery
	row         = turbopuffer.RowParam
)

var (
	ctx    = context.Background()
	prefix = fmt.Sprintf("go-%d", os.Getpid())
	client = turbopuffer.NewClient(
		option.WithBaseURL(os.Getenv("TURBOPUFFER_BASE_URL")),
		option.WithAPIKey("any"),
		option.WithMaxRetries(0),
	)
	docs = namespace("docs")
	near = turbopuffer.NewRankByAnn("vector", []float32{0, 0})
	all  = turbopuffer.IncludeAttributesParam{Bool: turbopuffer.Bool(true)}
	text = turbopuffer.IncludeAttributesParam{StringArray: []string{"text"}}
)

func namespace(name string) turbopuffer.Namespace {
	return client.Namespace(prefix + "-" + name)
}

func must[T any](answer *T, err error) *T {
	if err != nil {
		panic(err)
	}
	return answer
}

// Compares by JSON, so that numbers of all kinds are alike.
func expect(got, wanted any) {
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(wanted)
	if string(a) != string(b) {
		panic(fmt.Sprintf("got %s, expected %s", a, b))
	}
}

func expectFault(err error, status int, part string) {
	var fault *turbopuffer.Error
	if !errors.As(err, &fault) || fault.StatusCode != status || !strings.Contains(err.Error(), part) {
		panic(fmt.Sprintf("%d with %q was expected, but came %v", status, part, err))
	}
}

func ids(rows []turbopuffer.Row) []any {
	found := []any{}
	for _, document := range rows {
		found = append(found, document["id"])
	}
	return found
}

func query(params queryParams, set ...option.RequestOption) *turbopuffer.NamespaceQueryResponse {
	return must(docs.Query(ctx, params, set...))
}

func count(ns turbopuffer.Namespace) any {
	by := map[string]turbopuffer.AggregateBy{"all": turbopuffer.NewAggregateByCount()}
	return must(ns.Query(ctx, queryParams{AggregateBy: by})).Aggregations["all"]
}

func writes() {
	answer := must(docs.Write(ctx, writeParams{
		DistanceMetric: turbopuffer.DistanceMetricEuclideanSquared,
		Schema: map[string]turbopuffer.AttributeSchemaConfigParam{
			"text":  {Type: "string", FullTextSearch: &turbopuffer.FullTextSearchConfigParam{}},
			"price": {Type: "float"},
		},
		UpsertRows: []row{
			{"id": 1, "vector": []float32{0, 0}, "text": "a red fish", "price": 1.5},
			{"id": 2, "vector": []float32{1, 0}, "text": "blue water", "n": 2},
		},
		ReturnAffectedIDs: turbopuffer.Bool(true),
	}))
	expect([]int64{answer.RowsAffected, answer.RowsUpserted}, []int{2, 2})
	expect(len(answer.UpsertedIDs), 2)
	columns := turbopuffer.ColumnsParam{
		"id":     {3, uint64(1) << 63},
		"vector": {"AAAAQAAAAAA=", []float32{3, 0}},
		"text":   {"red red fish", nil},
	}
	expect(must(docs.Write(ctx, writeParams{UpsertColumns: columns})).RowsUpserted, 2)
	patch := []row{{"id": 3, "n": 7}, {"id": 99, "n": 7}}
	expect(must(docs.Write(ctx, writeParams{PatchRows: patch})).RowsPatched, 1)
}

func queries() {
	answer := query(queryParams{RankBy: near, TopK: turbopuffer.Int(3), IncludeAttributes: all})
	expect(ids(answer.Rows), []int{1, 2, 3})
	expect([]any{answer.Rows[1]["$dist"], answer.Rows[1]["n"]}, []int{1, 2})
	expect(answer.Rows[2]["vector"], []int{2, 0})
	byText := turbopuffer.NewRankByTextBM25("text", "red")
	expect(ids(query(queryParams{RankBy: byText, TopK: turbopuffer.Int(5)}).Rows), []int{3, 1})
	filter := turbopuffer.NewFilterAnd([]turbopuffer.Filter{
		turbopuffer.NewFilterGt("n", 1), turbopuffer.NewFilterNotEq("n", 7),
	})
	expect(ids(query(queryParams{Filters: filter, TopK: turbopuffer.Int(9)}).Rows), []int{2})
	last := queryParams{RankBy: turbopuffer.NewRankByAttribute("id", "desc"), TopK: turbopuffer.Int(2)}
	expect(ids(query(last).Rows), []any{uint64(1) << 63, 3})
	expect(ids(query(last, option.WithJSONSet("offset", 1)).Rows), []int{3, 2})
	expect(count(docs), 4)
	groups := query(queryParams{
		AggregateBy: map[string]turbopuffer.AggregateBy{"all": turbopuffer.NewAggregateByCount()},
		GroupBy:     []turbopuffer.GroupBy{turbopuffer.NewGroupByAttr("n")},
	})
	expect(len(groups.AggregationGroups), 3)
	plan := must(docs.ExplainQuery(ctx, turbopuffer.NamespaceExplainQueryParams{
		RankBy: byText, TopK: turbopuffer.Int(1),
	}))
	expect(strings.Contains(plan.PlanText, "BM25"), true)
	stale := option.WithJSONSet("consistency", map[string]any{
		"level": "eventual", "max_staleness_seconds": 5,
	})
	expect(ids(query(last, stale).Rows), []any{uint64(1) << 63, 3})
}

func multiQueries() {
	vector := subquery{RankBy: near, TopK: turbopuffer.Int(2), IncludeAttributes: text}
	byText := subquery{
		RankBy: turbopuffer.NewRankByTextBM25("text", "red"), TopK: turbopuffer.Int(2),
		IncludeAttributes: text,
	}
	counted := subquery{AggregateBy: map[string]any{"all": turbopuffer.NewAggregateByCount()}}
	plain := multiParams{Queries: []subquery{vector, byText, counted}}
	answer := must(docs.MultiQuery(ctx, plain))
	expect(ids(answer.Results[0].Rows), []int{1, 2})
	expect(answer.Results[2].Aggregations["all"], 4)
	both := []subquery{vector, byText}
	fused := multiParams{Queries: both, RerankBy: turbopuffer.NewRerankByRrf()}
	total := option.WithJSONSet("limit", map[string]any{"total": 2})
	offset := option.WithJSONSet("offset", 1)
	window := must(docs.MultiQuery(ctx, fused, total, offset))
	expect([]int{len(window.Results), len(window.Results[0].Rows)}, []int{1, 2})
	_, err := docs.MultiQuery(ctx, fused, offset)
	expectFault(err, 400, "requires rerank_by and limit")
	rerank := func(model string) option.RequestOption {
		return option.WithJSONSet("rerank_by", map[string]any{
			"model": model, "attribute": "text", "query": "blue water",
		})
	}
	reranked := must(docs.MultiQuery(ctx, multiParams{Queries: both}, rerank("words")))
	expect(ids(reranked.Results[0].Rows)[0], 2)
	one := queryParams{RankBy: near, TopK: turbopuffer.Int(4), IncludeAttributes: text}
	expect(query(one, rerank("words")).Rows[0]["$dist"], 1)
	_, err = docs.Query(ctx, one, rerank("other"))
	expectFault(err, 400, "none that this server has: words")
}

func metadataAndSchema() {
	facts := must(docs.Metadata(ctx, turbopuffer.NamespaceMetadataParams{}))
	expect(facts.ApproxRowCount, 4)
	schema := must(docs.Schema(ctx, turbopuffer.NamespaceSchemaParams{}))
	expect((*schema)["text"].FullTextSearch.Tokenizer, "word_v3")
	updated := must(docs.UpdateSchema(ctx, turbopuffer.NamespaceUpdateSchemaParams{
		Schema: map[string]turbopuffer.AttributeSchemaConfigParam{
			"n": {Type: "int", Filterable: turbopuffer.Bool(false)},
		},
	}))
	expect((*updated)["n"].Filterable, false)
}

func copies() {
	source := docs.ID()
	copied, branch := namespace("copy"), namespace("branch")
	from := turbopuffer.NamespaceCopyFromParams{SourceNamespace: source}
	expect(must(copied.CopyFrom(ctx, from)).RowsAffected, 4)
	must(branch.BranchFrom(ctx, turbopuffer.NamespaceBranchFromParams{SourceNamespace: source}))
	must(branch.Write(ctx, writeParams{Deletes: []any{1}}))
	expect([]any{count(copied), count(branch)}, []int{4, 3})
	must(docs.HintCacheWarm(ctx, turbopuffer.NamespaceHintCacheWarmParams{}))
	recall := turbopuffer.NamespaceRecallParams{Num: turbopuffer.Int(2), TopK: turbopuffer.Int(2)}
	expect(must(docs.Recall(ctx, recall)).AvgRecall, 1)
}

func listing() {
	expected, found := []string{}, []string{}
	for i := range 5 {
		ns := namespace(fmt.Sprintf("page-%d", i))
		must(ns.Write(ctx, writeParams{UpsertRows: []row{{"id": 1}}}))
		expected = append(expected, ns.ID())
	}
	pages := client.NamespacesAutoPaging(ctx, turbopuffer.NamespacesParams{
		Prefix: turbopuffer.String(prefix + "-page-"), PageSize: turbopuffer.Int(2),
	})
	for pages.Next() {
		found = append(found, pages.Current().ID)
	}
	expect(pages.Err(), nil)
	expect(found, expected)
}

func faultsAndDeletion() {
	absent := namespace("absent")
	_, err := absent.Query(ctx, queryParams{RankBy: near, TopK: turbopuffer.Int(1)})
	expectFault(err, 404, "was not found")
	unknown := turbopuffer.IncludeAttributesParam{StringArray: []string{"nothing"}}
	one := queryParams{RankBy: near, TopK: turbopuffer.Int(1), IncludeAttributes: unknown}
	_, err = docs.Query(ctx, one)
	expectFault(err, 400, "not found in schema")
	level := option.WithJSONSet("consistency.level", "x")
	_, err = docs.Query(ctx, queryParams{TopK: turbopuffer.Int(1)}, level)
	expectFault(err, 422, "unknown variant")
	must(docs.Write(ctx, writeParams{
		Deletes: []any{1}, DeleteByFilter: turbopuffer.NewFilterEq("id", 2),
	}))
	expect(count(docs), 2)
	must(docs.DeleteAll(ctx, turbopuffer.NamespaceDeleteAllParams{}))
	_, err = docs.Metadata(ctx, turbopuffer.NamespaceMetadataParams{})
	expectFault(err, 404, "was not found")
}

func main() {
	steps := []func(){
		writes, queries, multiQueries, metadataAndSchema, copies, listing, faultsAndDeletion,
	}
	for _, step := range steps {
		step()
	}
	fmt.Printf("go: %d passed, 0 failed\n", len(steps))
}
