/** Where the key is entered, exchanged and forgotten. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Caller, shownCaller } from "../api/caller.ts";
import { callerState, sessionKey, setSessionKey } from "../state/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

/** The button in the header, which says who the console works for. */
export function KeyButton(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        <span class="visually-hidden">API key: </span>
        {keyText()}
      </Button>
      {isOpen && <KeyDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/** What stands in the place of a screen where the server wants a key, or another one. */
export function KeyPrompt(props: { readonly reason: string }): JSX.Element {
  const [text, setText] = useState("");
  const hadKey = sessionKey.value !== undefined;
  return (
    <form
      class="key-prompt"
      onSubmit={(event) => {
        event.preventDefault();
        setSessionKey(text);
      }}
    >
      <h1>{hadKey ? "The server does not take this key" : "This server needs an API key"}</h1>
      <KeyField value={text} onInput={setText} error={hadKey ? props.reason : undefined} />
      <Button type="submit" look="primary">
        Use this key
      </Button>
    </form>
  );
}

function KeyDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, setText] = useState("");
  const use = (key: string | undefined) => {
    setSessionKey(key);
    onClose();
  };
  const state = callerState.value;
  const caller = state.kind === "known" ? state.caller : undefined;
  return (
    <Dialog
      title="API key"
      onClose={onClose}
      onSubmit={() => text.trim() !== "" && use(text)}
      actions={
        <>
          {sessionKey.value !== undefined && (
            <Button onClick={() => use(undefined)}>Forget the key</Button>
          )}
          <Button type="submit" look="primary">
            Use this key
          </Button>
        </>
      }
    >
      {caller !== undefined && <p>{callerText(caller)}</p>}
      <KeyField value={text} onInput={setText} error={undefined} />
    </Dialog>
  );
}

function KeyField(props: {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly error: string | undefined;
}): JSX.Element {
  return (
    <TextField
      {...props}
      label="API key or token"
      type="password"
      autoFocus
      placeholder="tpuf_…"
      hint="Kept until this tab is closed, and sent to this server alone."
    />
  );
}

function keyText(): string {
  const state = callerState.value;
  if (state.kind === "asking") return "…";
  if (state.kind === "refused") return sessionKey.value === undefined ? "No key" : "Key refused";
  const { caller } = state;
  if (caller.kind === "anyone") return "No keys needed";
  return caller.kind === "token" ? "Token" : (caller.name ?? "Key");
}

function callerText(caller: Caller): string {
  if (caller.kind === "anyone") {
    return "This server has no keys: everybody who reaches it may do everything.";
  }
  const { actions, namespaces, expires_at: expiresAt } = caller;
  return (
    `The console works with ${shownCaller(caller)}, which may ${actions.join(", ")} in ` +
    `${namespaces.join(", ")}${expiryText(expiresAt)}.`
  );
}

function expiryText(expiresAt: string | null | undefined): string {
  return expiresAt ? `, until ${expiresAt.slice(0, 10)}` : "";
}
