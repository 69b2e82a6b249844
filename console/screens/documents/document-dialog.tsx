/** One document: looked at, changed, deleted. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { faultOf } from "../../api/api-fault.ts";
import {
  type DocumentId,
  type DocumentRow,
  queryDocuments,
  writeDocuments,
} from "../../api/documents.ts";
import { parseExact, stringifyExact } from "../../api/exact-json.ts";
import type { JsonMembers } from "../../query/json-value.ts";
import { printJson } from "../../query/print-literal.ts";
import { client, denial } from "../../state/session.ts";
import { useRequest } from "../../state/use-request.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ErrorNote, Spinner } from "../../ui/notes.tsx";

/** Which document. */
export interface DocumentDialogProps {
  readonly namespace: string;
  readonly id: DocumentId;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** The dialog: reads the whole document, and lets it be written. */
export function DocumentDialog(props: DocumentDialogProps): JSX.Element {
  const { namespace, id, onClose } = props;
  const { value, isLoading, fault, reload } = useRequest(
    (api, signal) => readDocument(api, { namespace, id, signal }),
    [namespace, stringifyExact(id)],
  );
  if (value !== undefined) return <DocumentForm {...props} document={value} />;
  const isGone = !isLoading && fault === undefined;
  return (
    <Dialog title={`Document ${String(id)}`} isWide onClose={onClose}>
      {isLoading && <Spinner label="Reading the document" />}
      {fault !== undefined && <ErrorNote fault={fault} onRetry={reload} />}
      {isGone && <p>There is no document of this id; it may have been deleted meanwhile.</p>}
    </Dialog>
  );
}

function DocumentForm(
  props: DocumentDialogProps & { readonly document: DocumentRow },
): JSX.Element {
  const { namespace, id, document, onClose, onChanged } = props;
  const [text, setText] = useState(() => printJson(document as JsonMembers));
  const [isDeleting, setDeleting] = useState(false);
  const { error, isBusy, refuse, write } = useWrite({ namespace, id, onChanged });
  const denied = denial("write", namespace);
  const save = () => {
    const parsed = parseDocument(text, id);
    if (typeof parsed === "string") return refuse(parsed);
    if (denied === undefined) void write({ upsert_rows: [parsed] }, "written");
  };
  return (
    <Dialog
      title={`Document ${String(id)}`}
      isWide
      onClose={onClose}
      onSubmit={save}
      actions={
        isDeleting ? (
          <>
            <span>Delete this document for good?</span>
            <Button onClick={() => setDeleting(false)}>Keep it</Button>
            <Button
              look="danger"
              isBusy={isBusy}
              denied={denied}
              onClick={() => void write({ deletes: [id] }, "deleted")}
            >
              Delete for good
            </Button>
          </>
        ) : (
          <>
            <Button look="danger" denied={denied} onClick={() => setDeleting(true)}>
              Delete
            </Button>
            <span class="header-space" />
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" isBusy={isBusy} denied={denied}>
              Save
            </Button>
          </>
        )
      }
    >
      <TextField
        label="The document as JSON"
        value={text}
        onInput={setText}
        rows={18}
        isCode
        hint="Saving writes the whole document; an attribute that is taken out is gone."
        error={error}
      />
    </Dialog>
  );
}

/** Writes of one document, and what became of the last one. */
function useWrite(props: Pick<DocumentDialogProps, "namespace" | "id" | "onChanged">) {
  const { namespace, id, onChanged } = props;
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const write = async (body: unknown, done: string) => {
    setBusy(true);
    setError(undefined);
    try {
      await writeDocuments(client.peek(), { namespace, body });
      announce(`Document ${String(id)} ${done}`);
      onChanged();
    } catch (thrown) {
      setError(faultOf(thrown)?.message);
      setBusy(false);
    }
  };
  return { error, isBusy, refuse: setError, write };
}

async function readDocument(
  api: Parameters<typeof queryDocuments>[0],
  asked: { readonly namespace: string; readonly id: DocumentId; readonly signal: AbortSignal },
): Promise<DocumentRow | undefined> {
  const { namespace, id, signal } = asked;
  const body = { filters: ["id", "Eq", id], limit: 1, include_attributes: true };
  return (await queryDocuments(api, { namespace, body, signal })).value.rows?.[0];
}

/** The document of a text, or what is wrong with it. */
function parseDocument(text: string, id: DocumentId): object | string {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "A document is one JSON object";
  }
  const written = (value as { readonly id?: unknown }).id;
  if (written === id) return value;
  const shown = stringifyExact(id);
  return `The id must stay ${shown}; a document of another id is another document`;
}
