/** The screen of all namespaces: found by name, with what is in them and how far their index is. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { countText, sizeText } from "../../../src/base/amount-text.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { type NamespaceMetadata, readMetadata } from "../../api/namespaces.ts";
import { unreachableReason } from "../../api/reachable-name.ts";
import { agoText } from "../../base/ago-text.ts";
import { currentRoute, navigate, routePath, setParameters } from "../../state/route.ts";
import { client, denial } from "../../state/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { TextField } from "../../ui/field.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { UnreachableName } from "../../ui/unreachable-name.tsx";
import { ACTS, type Act, ActDialog } from "./act-dialog.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { MetadataLoader } from "./metadata-loader.ts";
import { useNamespaceList } from "./namespace-list.ts";

/** The list of namespaces. */
export function NamespacesScreen(): JSX.Element {
  const { parameters } = currentRoute.value;
  const prefix = parameters.get("prefix") ?? "";
  const list = useNamespaceList(prefix);
  const create = () => setParameters({ open: "create" });
  const isEmpty = list.names.length === 0 && !list.isLoading && list.fault === undefined;
  return (
    <>
      <div class="screen-head">
        <h1>Namespaces</h1>
        <span class="muted" role="status">
          {countOf(list.names.length, list.hasMore)}
        </span>
        {list.isLoading && <Spinner label="Loading" />}
      </div>
      <div class="bar">
        <TextField
          label="Search namespaces"
          hidesLabel
          type="search"
          placeholder="Names that begin with …"
          value={prefix}
          onInput={(text) => setParameters({ prefix: text }, { replace: true })}
        />
        <Button onClick={list.reload}>Refresh</Button>
        <Button look="primary" denied={denial("write")} onClick={create}>
          Create a namespace
        </Button>
      </div>
      {list.fault !== undefined && <ErrorNote fault={list.fault} onRetry={list.reload} />}
      {isEmpty && <NoNamespaces prefix={prefix} onCreate={create} />}
      {list.names.length > 0 && <NamespaceTable list={list} prefix={prefix} />}
      <Dialogs onChanged={list.reload} />
    </>
  );
}

function NamespaceTable(props: {
  readonly list: ReturnType<typeof useNamespaceList>;
  readonly prefix: string;
}): JSX.Element {
  const { names, isLoading, hasMore, loadMore, generation } = props.list;
  const [, render] = useState({});
  const api = client.value;
  // What was read is read anew with the list: who reloads wants to see what has changed.
  const loader = useMemo(() => {
    const read = (name: string, signal: AbortSignal) => readMetadata(api, name, signal);
    return new MetadataLoader(read, () => render({}));
  }, [api, generation]);
  useEffect(() => () => loader.close(), [loader]);
  return (
    <Table
      label="Namespaces"
      columns={columnsOf(loader)}
      rows={names}
      rowKey={(name) => name}
      isPartial={hasMore}
      subject={props.prefix}
      isBusy={isLoading}
      onVisible={(start, end) => {
        const visible = names.slice(start, end);
        loader.want(visible.filter((name) => hiddenReason(name) === undefined));
      }}
      onNearEnd={hasMore ? loadMore : undefined}
    />
  );
}

function columnsOf(loader: MetadataLoader): readonly TableColumn<string>[] {
  const name: TableColumn<string> = {
    key: "name",
    title: "Name",
    width: "minmax(180px, 3fr)",
    cell: (text) =>
      unreachableReason(text) === undefined ? (
        <a href={routePath("documents", text)} title={text}>
          {text}
        </a>
      ) : (
        <UnreachableName name={text} />
      ),
  };
  const actions: TableColumn<string> = {
    key: "act",
    title: "Actions",
    width: "90px",
    cell: (text) => (
      <Button
        look="quiet"
        label={`Actions on ${text}`}
        onClick={() => setParameters({ open: "branch", of: text })}
      >
        Actions
      </Button>
    ),
  };
  return [name, ...metadataColumns(loader), actions];
}

function metadataColumns(loader: MetadataLoader): readonly TableColumn<string>[] {
  const known =
    (show: (metadata: NamespaceMetadata) => ComponentChildren) =>
    (name: string): ComponentChildren => {
      const state = loader.get(name);
      if (state?.kind === "known") return show(state.metadata);
      const hidden = hiddenReason(name);
      if (hidden !== undefined) return <span title={hidden}>—</span>;
      return state === undefined ? "…" : <span title={state.reason}>—</span>;
    };
  return [
    {
      key: "rows",
      title: "Documents",
      width: "minmax(90px, 1fr)",
      align: "end",
      cell: known(({ approx_row_count: count }) => countText(count)),
    },
    {
      key: "bytes",
      title: "Size",
      width: "minmax(80px, 1fr)",
      align: "end",
      cell: known(({ approx_logical_bytes: bytes }) => sizeText(bytes)),
    },
    {
      key: "index",
      title: "Index",
      width: "minmax(190px, 2fr)",
      cell: known((metadata) => <IndexState metadata={metadata} />),
    },
    {
      key: "attributes",
      title: "Attributes",
      width: "minmax(80px, 1fr)",
      align: "end",
      cell: known(({ schema }) => countText(Object.keys(schema).filter((n) => n !== "id").length)),
    },
    {
      key: "written",
      title: "Last write",
      width: "minmax(140px, 1fr)",
      cell: known(({ last_write_at: last, updated_at: updated }) => {
        const iso = last ?? updated;
        return <span title={iso}>{agoText(systemClock.nowMs() - Date.parse(iso))}</span>;
      }),
    },
  ];
}

/** Why nothing can be asked of a namespace. */
function hiddenReason(name: string): string | undefined {
  return denial("read", name) ?? unreachableReason(name);
}

function IndexState({ metadata }: { readonly metadata: NamespaceMetadata }): JSX.Element {
  const { status, unindexed_rows: rows, unindexed_bytes: bytes } = metadata.index;
  const parent = metadata.branching?.parent;
  return (
    <>
      {status === "up-to-date" ? (
        <Chip tone="good">up to date</Chip>
      ) : (
        <Chip tone="warn" title="Documents that wait in the log; queries see them all the same">
          {`${countText(rows)} behind${bytes === undefined ? "" : `, ${sizeText(bytes)}`}`}
        </Chip>
      )}
      {parent !== undefined && <Chip title={`A branch of ${parent}`}>branch</Chip>}
      {metadata.read_only && <Chip tone="bad">read only</Chip>}
    </>
  );
}

function NoNamespaces(props: { readonly prefix: string; onCreate: () => void }): JSX.Element {
  if (props.prefix !== "") {
    return (
      <EmptyState
        title={`No namespace begins with ${props.prefix}`}
        action={<Button onClick={() => setParameters({ prefix: undefined })}>Show all</Button>}
      />
    );
  }
  return (
    <EmptyState
      title="There are no namespaces yet"
      action={
        <>
          {denial("write") === undefined && (
            <a class="button button-primary" href={routePath("import")}>
              Import a file
            </a>
          )}{" "}
          <Button denied={denial("write")} onClick={props.onCreate}>
            Create a namespace
          </Button>
        </>
      }
    >
      A namespace holds documents of one schema. Import a file here (CSV, JSON Lines, Parquet,
      Arrow), write one document by hand, or use any client of the API.
    </EmptyState>
  );
}

function Dialogs({ onChanged }: { readonly onChanged: () => void }): JSX.Element | null {
  const { parameters } = currentRoute.value;
  const open = parameters.get("open");
  const namespace = parameters.get("of");
  const close = () => setParameters({ open: undefined, of: undefined });
  if (open === "create") {
    const created = (name: string) => navigate(routePath("documents", name));
    return <CreateDialog onClose={close} onCreated={created} />;
  }
  const act = ACTS.find((each) => each === open);
  if (act === undefined || namespace === null) return null;
  return (
    <ActDialog
      key={namespace}
      act={act}
      namespace={namespace}
      onAct={(next: Act) => setParameters({ open: next }, { replace: true })}
      onClose={close}
      onChanged={onChanged}
    />
  );
}

function countOf(count: number, hasMore: boolean): string {
  return count === 0 ? "" : `${countText(count)}${hasMore ? " and more" : ""}`;
}
