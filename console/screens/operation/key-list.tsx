import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countedText } from "../../../src/base/amount-text.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { callerState, client, denial } from "../../state/session.ts";
import { useRequest } from "../../state/use-request.ts";
import { useSubmission } from "../../state/use-submission.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { NewKey } from "./new-key.tsx";
import { keyState, listKeys, revokeKey, type ServerKey } from "./server-keys.ts";

/** All keys, to be made and ended. */
export function KeyList(): JSX.Element {
  const denied = denial("admin");
  const [ending, setEnding] = useState<ServerKey | undefined>(undefined);
  const state = useRequest<readonly ServerKey[]>(
    (api, signal) => (denied === undefined ? listKeys(api, signal) : Promise.resolve([])),
    [denied],
  );
  if (denied !== undefined) {
    return <EmptyState title="Keys are not for this key">{denied}.</EmptyState>;
  }
  const { value: keys, fault, isLoading, reload } = state;
  const caller = callerState.value;
  // Where the server was started with a key, nobody is shut out by the first one of the store.
  const isOpen = caller.kind === "known" && caller.caller.kind === "anyone";
  if (keys === undefined && fault === undefined) return <Spinner label="Asking for keys" />;
  const count = (keys ?? []).filter(
    (key) => keyState(key, systemClock.nowMs()) === "counts",
  ).length;
  return (
    <>
      <div class="screen-head">
        <NewKey isFirst={isOpen} onMade={reload} />
        <Button isBusy={isLoading} onClick={reload}>
          Refresh
        </Button>
        <span class="muted">
          {countedText(count, "key")} of the store, and those of the last 30 days that ended. A key
          that the server was started with is not among them.
        </span>
      </div>
      {fault !== undefined && <ErrorNote fault={fault} onRetry={reload} />}
      {keys?.length === 0 && (
        <EmptyState title="No keys yet">
          {isOpen
            ? "From the first key on every request needs one; make it with the action admin."
            : "Make one for each program or person, with no more than they need: with read alone " +
              "they can look and search, and change nothing."}
        </EmptyState>
      )}
      {keys !== undefined && keys.length > 0 && (
        <Table
          label="Keys"
          columns={columnsOf(setEnding)}
          rows={keys}
          rowKey={({ id }) => id}
          isBusy={isLoading}
        />
      )}
      {ending !== undefined && (
        <Revocation serverKey={ending} onClose={() => setEnding(undefined)} onDone={reload} />
      )}
    </>
  );
}

function columnsOf(onRevoke: (key: ServerKey) => void): readonly TableColumn<ServerKey>[] {
  const tone = { counts: "good", revoked: "bad", expired: "warn" } as const;
  return [
    {
      key: "name",
      title: "Name",
      width: "minmax(140px, 2fr)",
      cell: ({ name, last_four: lastFour }) => (
        <>
          {name} <code class="muted">…{lastFour}</code>
        </>
      ),
    },
    {
      key: "state",
      title: "State",
      width: "100px",
      cell: (key) => {
        const state = keyState(key, systemClock.nowMs());
        return <Chip tone={tone[state]}>{state}</Chip>;
      },
    },
    {
      key: "actions",
      title: "May",
      width: "minmax(140px, 1fr)",
      cell: ({ actions }) => actions.join(", "),
    },
    {
      key: "namespaces",
      title: "In",
      width: "minmax(120px, 1fr)",
      cell: ({ namespaces }) => <code title={namespaces.join(", ")}>{namespaces.join(", ")}</code>,
    },
    { key: "created", title: "Created", width: "110px", cell: (key) => day(key.created_at) },
    { key: "used", title: "Last used", width: "110px", cell: (key) => day(key.last_used_at) },
    { key: "expires", title: "Expires", width: "110px", cell: (key) => day(key.expires_at) },
    {
      key: "revoke",
      title: "Actions",
      width: "100px",
      align: "end",
      cell: (key) =>
        keyState(key, systemClock.nowMs()) === "counts" && (
          <Button look="quiet" label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        ),
    },
  ];
}

function day(time: string | null): JSX.Element {
  if (time === null) return <span class="muted">never</span>;
  return <span title={time}>{time.slice(0, 10)}</span>;
}

function Revocation(props: {
  readonly serverKey: ServerKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { serverKey, onClose, onDone } = props;
  const { fault, isBusy, run } = useSubmission();
  const revoke = () =>
    run(async () => {
      await revokeKey(client.peek(), serverKey.id);
      announce(`Key ${serverKey.name} is revoked`);
      onDone();
    }, onClose);
  return (
    <Dialog
      title={`Revoke ${serverKey.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" isBusy={isBusy} onClick={revoke}>
            Revoke the key
          </Button>
        </>
      }
    >
      <p>
        Requests with it are refused at once, and within 2 seconds by other servers of the same
        bucket; so are the tokens that it has signed. It cannot be taken back.
      </p>
      {fault !== undefined && <ErrorNote fault={fault} />}
    </Dialog>
  );
}
