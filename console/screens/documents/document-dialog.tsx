/** One document: looked at, changed, deleted. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
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
import { useSubmission } from "../../state/use-submission.ts";
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
  /** Called also where the dialog was closed meanwhile. */
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
  const { fault, isBusy, refuse, run } = useSubmission();
  const write = (body: unknown, done: string) =>
    run(async () => {
      await writeDocuments(client.peek(), { namespace, body });
      announce(`Document ${String(id)} ${done}`);
      onChanged();
    }, onClose);
  const denied = denial("write", namespace);
  const save = () => {
    const parsed = parseDocument(text, id);
    if (typeof parsed === "string") return refuse(parsed);
    if (denied === undefined) write({ upsert_rows: [parsed] }, "written");
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
              onClick={() => write({ deletes: [id] }, "deleted")}
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
        error={fault?.message}
      />
    </Dialog>
  );
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
