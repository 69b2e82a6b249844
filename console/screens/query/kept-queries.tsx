/** The dialog of queries that were run, and of those with names. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { QueryDraft } from "../../composer/query-draft.ts";
import { type NamedQuery, namingFault } from "../../query/query-history.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import {
  forgetHistory,
  forgetNamed,
  namedQueries,
  nameQuery,
  pastQueries,
  storageTurn,
} from "./query-storage.ts";

interface KeptProps {
  readonly namespace: string;
  readonly draft: QueryDraft;
}

/** The button that opens the dialog. */
export function KeptQueries(props: KeptProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        History
      </Button>
      {isOpen && <KeptDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function KeptDialog(props: KeptProps & { readonly onClose: () => void }): JSX.Element {
  const { namespace, draft, onClose } = props;
  storageTurn.value;
  const named = namedQueries(namespace);
  const past = pastQueries(namespace);
  const open = (text: string) => {
    draft.editText(text);
    onClose();
  };
  return (
    <Dialog title="Queries of this browser" isWide onClose={onClose}>
      <NameForm {...props} named={named} />
      <h3>With a name</h3>
      {named.length === 0 && <p class="composer-note">None yet.</p>}
      <ul class="kept">
        {named.map(({ name, text }) => (
          <li key={name}>
            <button type="button" class="kept-query" onClick={() => open(text)}>
              <strong>{name}</strong>
              <code>{inLine(text)}</code>
            </button>
            <Button
              look="quiet"
              label={`Forget ${name}`}
              onClick={() => forgetNamed(namespace, name)}
            >
              ✕
            </Button>
          </li>
        ))}
      </ul>
      <h3>Run last</h3>
      {past.length === 0 && <p class="composer-note">None yet: run one, and it is here.</p>}
      <ul class="kept">
        {past.map(({ text, atMs }) => (
          <li key={text}>
            <button type="button" class="kept-query" onClick={() => open(text)}>
              <time>{new Date(atMs).toLocaleString()}</time>
              <code>{inLine(text)}</code>
            </button>
          </li>
        ))}
      </ul>
      {past.length > 0 && (
        <Button look="quiet" onClick={() => forgetHistory(namespace)}>
          Forget all that was run
        </Button>
      )}
    </Dialog>
  );
}

function NameForm(props: KeptProps & { readonly named: readonly NamedQuery[] }): JSX.Element {
  const { namespace, draft, named } = props;
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const keep = () => {
    const query = { name: name.trim(), text: draft.text.peek() };
    const found = namingFault(named, query);
    if (found !== undefined || !nameQuery(namespace, query)) {
      setFault(found ?? "The browser has no room for it.");
      return;
    }
    setFault(undefined);
    setName("");
    announce(`Kept as ${query.name}`);
  };
  return (
    <div class="composer-row composer-row-end">
      <TextField label="Name of the present query" value={name} error={fault} onInput={setName} />
      <Button onClick={keep}>Keep it</Button>
    </div>
  );
}

/** Characters of a query that a line shows. */
const LINE_CHARS = 160;

function inLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, LINE_CHARS);
}
