import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countedText, countText, sizeText } from "../../../src/base/amount-text.ts";
import { durationText } from "../../../src/base/duration.ts";
import { unreachableReason } from "../../api/reachable-name.ts";
import { currentRoute, routePath, setParameters } from "../../state/route.ts";
import { denial } from "../../state/session.ts";
import { useRequest } from "../../state/use-request.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { UnreachableName } from "../../ui/unreachable-name.tsx";
import {
  inOrder,
  longestPhase,
  type SlowOrder,
  type SlowRequest,
  type SlowRequests,
  slowKey,
} from "./slow-request.ts";

/** The last slow requests, and why one of them was slow. */
export function SlowQueries(): JSX.Element {
  const denied = denial("admin");
  const state = useRequest<SlowRequests | undefined>(
    (api, signal) =>
      denied === undefined
        ? api.json({ method: "GET", path: "/trawl/slow-queries", signal })
        : Promise.resolve(undefined),
    [denied],
  );
  if (denied !== undefined) {
    return <EmptyState title="Slow queries are not for this key">{denied}.</EmptyState>;
  }
  if (state.value === undefined) {
    if (state.fault === undefined) return <Spinner label="Asking for slow queries" />;
    return <ErrorNote fault={state.fault} onRetry={state.reload} />;
  }
  const { slow_query_ms: slowMs, slow_query_sample: sample, slow_queries: all } = state.value;
  return (
    <>
      {state.fault !== undefined && <ErrorNote fault={state.fault} onRetry={state.reload} />}
      <div class="screen-head">
        <Button isBusy={state.isLoading} onClick={state.reload}>
          Refresh
        </Button>
        <span class="muted">
          {slowMs === 0
            ? "No request counts as slow: the server runs with --slow-query-ms 0."
            : `Requests of ${durationText(slowMs)} and more, at most ${countText(sample)} a ` +
              "minute, since the server started; no words, numbers or vectors of anybody."}
        </span>
      </div>
      {all.length === 0 ? (
        <EmptyState title="Nothing was slow">
          What takes longer than --slow-query-ms appears here, with what took the time; start the
          server with a smaller one to see more. What takes the time of one query, Explain of its
          namespace shows at once.
        </EmptyState>
      ) : (
        <SlowTable all={all} />
      )}
    </>
  );
}

function SlowTable({ all }: { readonly all: readonly SlowRequest[] }): JSX.Element {
  const [opened, setOpened] = useState<SlowRequest | undefined>(undefined);
  const order = (currentRoute.value.parameters.get("order") ?? "newest") as SlowOrder;
  const by = (value: SlowOrder) => () => setParameters({ order: value });
  const columns: readonly TableColumn<SlowRequest>[] = [
    {
      key: "time",
      title: "Time",
      width: "200px",
      cell: (row) => (
        <Button look="quiet" onClick={() => setOpened(row)}>
          {row.time.slice(0, 19).replace("T", " ")}
          <span class="visually-hidden">, details of {row.request}</span>
        </Button>
      ),
      sorted: order === "newest" ? "descending" : undefined,
      onSort: by("newest"),
    },
    {
      key: "ms",
      title: "Took",
      width: "110px",
      align: "end",
      cell: ({ ms }) => durationText(ms),
      sorted: order === "slowest" ? "descending" : undefined,
      onSort: by("slowest"),
    },
    {
      key: "most",
      title: "Most of it",
      width: "110px",
      cell: (row) => longestPhase(row) ?? <span class="muted">–</span>,
    },
    {
      key: "namespace",
      title: "Namespace",
      width: "minmax(140px, 1fr)",
      cell: ({ namespace }) => <code>{namespace}</code>,
    },
    {
      key: "what",
      title: "What",
      width: "110px",
      cell: ({ operation, kind }) => (kind === undefined ? operation : `${operation}: ${kind}`),
    },
    { key: "status", title: "Status", width: "70px", align: "end", cell: ({ status }) => status },
    {
      key: "shape",
      title: "Shape",
      width: "minmax(240px, 3fr)",
      cell: ({ shape, path }) => <code title={shape ?? path}>{shape ?? path}</code>,
    },
  ];
  return (
    <>
      <Table label="Slow queries" columns={columns} rows={inOrder(all, order)} rowKey={slowKey} />
      {opened !== undefined && (
        <SlowDetails request={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

function SlowDetails(props: {
  readonly request: SlowRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const { request, onClose } = props;
  const { phases = {}, work = {}, reads = {}, namespace, shape, plan } = request;
  const longestMs = Math.max(...Object.values(phases), 1e-9);
  return (
    <Dialog title={`${request.operation} of ${durationText(request.ms)}`} isWide onClose={onClose}>
      <dl class="facts">
        <Fact name="Request">
          <code>{request.request}</code> at {request.time}
        </Fact>
        <Fact name="Answer">
          status {request.status}, {sizeText(request.bytesIn)} in, {sizeText(request.bytesOut)} out
        </Fact>
        {namespace !== undefined && (
          <Fact name="Namespace">
            {unreachableReason(namespace) === undefined ? (
              <>
                <a href={routePath("query", namespace)}>{namespace}</a>
                {" · "}
                <a href={routePath("explain", namespace)}>Explain a query of it</a>
              </>
            ) : (
              <UnreachableName name={namespace} />
            )}
          </Fact>
        )}
        {request.documents !== undefined && (
          <Fact name="Looked at">
            {countedText(request.documents, "document")} in{" "}
            {countedText(request.segments ?? 0, "segment")}
          </Fact>
        )}
        {shape !== undefined && (
          <Fact name="Shape">
            <code>{shape}</code>
          </Fact>
        )}
        {plan !== undefined && (
          <Fact name="Plan">
            <code>{plan}</code>
          </Fact>
        )}
      </dl>
      {Object.keys(phases).length > 0 && (
        <table class="facts-table">
          <caption>Where the time went</caption>
          <tbody>
            {Object.entries(phases).map(([phase, ms]) => (
              <tr key={phase}>
                <th scope="row">{phase}</th>
                <td class="cell-end">{durationText(ms)}</td>
                <td class="facts-bar">
                  <meter value={ms} max={longestMs} aria-label={`Share of ${phase}`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Counters caption="Work" counters={work} />
      <Counters caption="Reads" counters={reads} />
    </Dialog>
  );
}

function Counters(props: {
  readonly caption: string;
  readonly counters: Readonly<Record<string, number>>;
}): JSX.Element | null {
  const all = Object.entries(props.counters);
  if (all.length === 0) return null;
  return (
    <table class="facts-table">
      <caption>{props.caption}</caption>
      <tbody>
        {all.map(([name, count]) => (
          <tr key={name}>
            <th scope="row">{inWords(name)}</th>
            <td class="cell-end">{countText(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fact(props: { readonly name: string; readonly children: unknown }): JSX.Element {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>{props.children as JSX.Element}</dd>
    </>
  );
}

/** `documentsScanned` as `documents scanned`. */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
