import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import { createCheckpoint } from "../../api/namespaces.ts";
import { agoText } from "../../base/ago-text.ts";
import { currentRoute, routePath, setParameters } from "../../state/route.ts";
import { client } from "../../state/session.ts";
import { useRequest } from "../../state/use-request.ts";
import { useSubmission } from "../../state/use-submission.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import {
  type Checkpoint,
  deleteCheckpoint,
  expirySeconds,
  listCheckpoints,
  restoreCheckpoint,
} from "./checkpoints.ts";

/** How long a name is not typed on before the server is asked. */
const TYPING_MS = 300;

/** Checkpoints of a namespace: made, restored and removed. */
export function CheckpointList(): JSX.Element {
  const namespace = currentRoute.value.parameters.get("namespace") ?? "";
  return (
    <section class="stack" aria-labelledby="checkpoints-title">
      <h2 id="checkpoints-title">Checkpoints</h2>
      <p class="muted">
        A checkpoint keeps what a namespace is now and moves no bytes: what is deleted or
        overwritten by mistake comes back from it, also after the namespace was deleted. A server
        that is started with <code>--checkpoint-every 1h</code> makes them by itself.
      </p>
      <div class="bar">
        <TextField
          label="Namespace"
          value={namespace}
          onInput={(value) => setParameters({ namespace: value }, { replace: true })}
        />
      </div>
      {namespace !== "" && <OfNamespace key={namespace} namespace={namespace} />}
    </section>
  );
}

type Opened =
  | { readonly kind: "create" }
  | { readonly kind: "restore" | "delete"; readonly checkpoint: Checkpoint };

function OfNamespace({ namespace }: { readonly namespace: string }): JSX.Element {
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const [isTyped, setTyped] = useState(false);
  useEffect(() => {
    const typing = new AbortController();
    systemClock.sleep(TYPING_MS, typing.signal).then(
      () => setTyped(true),
      () => {},
    );
    return () => typing.abort();
  }, []);
  const { value, fault, isLoading, reload } = useRequest<readonly Checkpoint[] | undefined>(
    (api, signal) =>
      isTyped ? listCheckpoints(api, namespace, signal) : Promise.resolve(undefined),
    [namespace, isTyped],
  );
  const close = () => setOpened(undefined);
  if (value === undefined) {
    if (fault !== undefined) return <ErrorNote fault={fault} onRetry={reload} />;
    return <Spinner label="Asking for checkpoints" />;
  }
  return (
    <>
      <div class="screen-head">
        <Button look="primary" onClick={() => setOpened({ kind: "create" })}>
          Create a checkpoint
        </Button>
        <Button isBusy={isLoading} onClick={reload}>
          Refresh
        </Button>
      </div>
      {fault !== undefined && <ErrorNote fault={fault} onRetry={reload} />}
      {value.length === 0 ? (
        <EmptyState title={`No checkpoints of ${namespace}`}>
          Make one before an import, or start the server with --checkpoint-every.
        </EmptyState>
      ) : (
        <Table
          label="Checkpoints"
          columns={columnsOf(setOpened)}
          rows={value}
          rowKey={({ name, generation }) => `${generation}/${name}`}
        />
      )}
      {opened?.kind === "create" && (
        <Creation namespace={namespace} onClose={close} onDone={reload} />
      )}
      {opened?.kind === "restore" && (
        <Restoration namespace={namespace} checkpoint={opened.checkpoint} onClose={close} />
      )}
      {opened?.kind === "delete" && (
        <Removal
          namespace={namespace}
          checkpoint={opened.checkpoint}
          onClose={close}
          onDone={reload}
        />
      )}
    </>
  );
}

function columnsOf(onOpen: (opened: Opened) => void): readonly TableColumn<Checkpoint>[] {
  return [
    {
      key: "name",
      title: "Name",
      width: "minmax(160px, 2fr)",
      cell: ({ name }) => <code>{name}</code>,
    },
    {
      key: "created",
      title: "Created",
      width: "170px",
      cell: ({ created_at: at }) => (
        <span title={at.slice(0, 19).replace("T", " ")}>
          {agoText(systemClock.nowMs() - Date.parse(at))}
        </span>
      ),
    },
    {
      key: "expires",
      title: "Expires",
      width: "170px",
      cell: ({ expires_at: end }) => (end === null ? "never" : end.slice(0, 19).replace("T", " ")),
    },
    {
      key: "actions",
      title: "Actions",
      width: "170px",
      align: "end",
      cell: (checkpoint) => (
        <>
          <Button
            look="quiet"
            label={`Restore ${checkpoint.name}`}
            onClick={() => onOpen({ kind: "restore", checkpoint })}
          >
            Restore
          </Button>
          <Button
            look="quiet"
            label={`Delete ${checkpoint.name}`}
            onClick={() => onOpen({ kind: "delete", checkpoint })}
          >
            Delete
          </Button>
        </>
      ),
    },
  ];
}

interface DialogPlace {
  readonly namespace: string;
  readonly onClose: () => void;
}

function Creation(props: DialogPlace & { readonly onDone: () => void }): JSX.Element {
  const { namespace, onClose, onDone } = props;
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("7d");
  const seconds = expirySeconds(expiry);
  const { fault, isBusy, run } = useSubmission();
  const create = () => {
    if (typeof seconds === "string") return;
    run(async () => {
      await createCheckpoint(client.peek(), { namespace, name, expiresInSeconds: seconds });
      announce(`Checkpoint ${name} is made`);
      onDone();
    }, onClose);
  };
  return (
    <Dialog
      title={`Checkpoint of ${namespace}`}
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            Create
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} autoFocus onInput={setName} />
      <TextField
        label="Expires in"
        value={expiry}
        placeholder="never"
        hint="Such as 12h or 7d; until then what it keeps stays on the disk."
        error={typeof seconds === "string" ? seconds : undefined}
        onInput={setExpiry}
      />
      {fault !== undefined && <ErrorNote fault={fault} />}
    </Dialog>
  );
}

function Restoration(props: DialogPlace & { readonly checkpoint: Checkpoint }): JSX.Element {
  const { namespace, checkpoint, onClose } = props;
  const { name } = checkpoint;
  const [as, setAs] = useState(`${namespace}-${name}`);
  const [isDone, setDone] = useState(false);
  const { fault, isBusy, run } = useSubmission();
  const restore = () =>
    run(
      () => restoreCheckpoint(client.peek(), { namespace, name, as }),
      () => setDone(true),
    );
  return (
    <Dialog
      title={`Restore ${name}`}
      onClose={onClose}
      onSubmit={restore}
      actions={
        isDone ? (
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" isBusy={isBusy}>
              Restore
            </Button>
          </>
        )
      }
    >
      {isDone ? (
        <p>
          <a href={routePath("documents", as)}>{as}</a> is what {namespace} was.
        </p>
      ) : (
        <TextField
          label="As namespace"
          value={as}
          autoFocus
          hint={`A new one beside ${namespace}, which stays as it is.`}
          onInput={setAs}
        />
      )}
      {fault !== undefined && <ErrorNote fault={fault} />}
    </Dialog>
  );
}

function Removal(
  props: DialogPlace & { readonly checkpoint: Checkpoint; readonly onDone: () => void },
): JSX.Element {
  const { namespace, checkpoint, onClose, onDone } = props;
  const { name } = checkpoint;
  const { fault, isBusy, run } = useSubmission();
  const remove = () =>
    run(async () => {
      await deleteCheckpoint(client.peek(), namespace, name);
      announce(`Checkpoint ${name} is deleted`);
      onDone();
    }, onClose);
  return (
    <Dialog
      title={`Delete ${name}?`}
      onClose={onClose}
      onSubmit={remove}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" isBusy={isBusy}>
            Delete the checkpoint
          </Button>
        </>
      }
    >
      <p>What it alone has kept of {namespace} cannot be restored any more.</p>
      {fault !== undefined && <ErrorNote fault={fault} />}
    </Dialog>
  );
}
