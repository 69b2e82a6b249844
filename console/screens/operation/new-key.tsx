import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callerState, client, setSessionKey } from "../../state/session.ts";
import { useSubmission } from "../../state/use-submission.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { ErrorNote } from "../../ui/notes.tsx";
import { createKey, KEY_ACTIONS, type KeyDraft } from "./server-keys.ts";

const FIRST: KeyDraft = {
  name: "ops",
  actions: ["admin"],
  namespaces: "*",
  expiresIn: "",
  requestsPerSecond: "",
};
const FURTHER: KeyDraft = { ...FIRST, name: "", actions: ["read"] };

/** A key with its text, which the server answers once. */
interface MadeText {
  readonly name: string;
  readonly key: string;
}

/** The button that makes a key, and shows its text once. */
export function NewKey(props: {
  /** No key counts yet: from then on every request needs one. */
  readonly isFirst: boolean;
  readonly onMade: () => void;
}): JSX.Element {
  const { isFirst, onMade } = props;
  const [isOpen, setOpen] = useState(false);
  // A key can be made after its form was closed, while another form makes a second one.
  const [made, setMade] = useState<readonly MadeText[]>([]);
  const dismiss = (shown: MadeText) => {
    const others = made.filter((each) => each !== shown);
    setMade(others);
    // The first key requires one for every request: the list is loaded once no text is needed.
    if (others.length === 0) onMade();
  };
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Create a key
      </Button>
      {isOpen && (
        <KeyForm
          isFirst={isFirst}
          onClose={() => setOpen(false)}
          onMade={(key) => setMade((before) => [...before, key])}
        />
      )}
      {made.map((each) => (
        <MadeKey key={each.key} made={each} onClose={() => dismiss(each)} />
      ))}
    </>
  );
}

function KeyForm(props: {
  readonly isFirst: boolean;
  readonly onClose: () => void;
  /** Called even if the form was closed in the meantime, so that the key's text is not lost. */
  readonly onMade: (made: MadeText) => void;
}): JSX.Element {
  const { isFirst, onClose, onMade } = props;
  const [draft, setDraft] = useState(isFirst ? FIRST : FURTHER);
  const { fault, isBusy, run } = useSubmission();
  const change = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }));
  // Closing in the same rendering lets the focus return to the button after the text is shown.
  const create = () => run(() => createKey(client.peek(), draft), onClose, onMade);
  return (
    <Dialog
      title="Create a key"
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
      {isFirst && (
        <p class="note note-wait">
          From the first key on every request needs one, this console&#39;s, too. Without the action
          admin nobody could make another one here.
        </p>
      )}
      <KeyFields draft={draft} onChange={change} />
      {fault !== undefined && <ErrorNote fault={fault} />}
    </Dialog>
  );
}

function KeyFields(props: {
  readonly draft: KeyDraft;
  readonly onChange: (changes: Partial<KeyDraft>) => void;
}): JSX.Element {
  const { draft, onChange } = props;
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        autoFocus
        hint="Who or what it is for; it is in the audit log and in messages."
        onInput={(name) => onChange({ name })}
      />
      <fieldset class="checks">
        <legend class="field-label">May</legend>
        {KEY_ACTIONS.map((action) => (
          <CheckField
            key={action}
            label={action}
            isChecked={draft.actions.includes(action)}
            onChange={(isChecked) =>
              onChange({
                actions: KEY_ACTIONS.filter((each) =>
                  each === action ? isChecked : draft.actions.includes(each),
                ),
              })
            }
          />
        ))}
      </fieldset>
      <p class="field-hint">
        read looks and searches, write changes documents, list sees the names of namespaces, which
        this console begins with, and admin does all of it and makes keys.
      </p>
      <TextField
        label="Namespaces"
        value={draft.namespaces}
        isCode
        hint="Names with commas between; tenant-a-* is all that begin so, * is all."
        onInput={(namespaces) => onChange({ namespaces })}
      />
      <TextField
        label="Expires in"
        value={draft.expiresIn}
        placeholder="never"
        hint="Such as 12h or 90d."
        onInput={(expiresIn) => onChange({ expiresIn })}
      />
      <TextField
        label="Requests a second at most"
        value={draft.requestsPerSecond}
        placeholder="no limit"
        onInput={(requestsPerSecond) => onChange({ requestsPerSecond })}
      />
    </>
  );
}

function MadeKey(props: { readonly made: MadeText; readonly onClose: () => void }): JSX.Element {
  const { made, onClose } = props;
  const state = callerState.value;
  const hadNone = state.kind === "known" && state.caller.kind === "anyone";
  return (
    <Dialog
      title={`Key ${made.name} is made`}
      onClose={onClose}
      actions={
        <>
          {hadNone && (
            <Button
              onClick={() => {
                setSessionKey(made.key);
                onClose();
              }}
            >
              Use it in this console
            </Button>
          )}
          <Button look="primary" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <p>This is the only time that its text is shown: the server keeps none.</p>
      <CodeBlock label="the key" code={made.key} />
      <p class="muted">
        Programs read it from <code>TURBOPUFFER_API_KEY</code>; people enter it where this console
        asks for a key.
      </p>
    </Dialog>
  );
}
