/** What is done with one namespace: branch, copy, checkpoint, delete. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApiClient } from "../../api/api-client.ts";
import type { CallerAction } from "../../api/caller.ts";
import { copyNamespace, createCheckpoint, deleteNamespace } from "../../api/namespaces.ts";
import { nameFault, unreachableReason } from "../../api/reachable-name.ts";
import { client, denial } from "../../state/session.ts";
import { useSubmission } from "../../state/use-submission.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const DAY_SECONDS = 86_400;
/** The element below the tabs. */
const PANEL = "act-panel";

/** What can be done, by the word that addresses have for it. */
export const ACTS = ["branch", "copy", "checkpoint", "delete"] as const;

/** One of them. */
export type Act = (typeof ACTS)[number];

interface ActFacts {
  readonly title: string;
  /** What it does, and what it costs. */
  readonly text: string;
  /** The field that is to be filled in. */
  readonly label: string;
  readonly button: string;
  readonly done: string;
  /** What the key needs on the namespace itself. */
  readonly action: CallerAction;
}

const FACTS: Readonly<Record<Act, ActFacts>> = {
  branch: {
    title: "Branch",
    text:
      "A branch has the same documents at once, and shares what is stored; from then on the two " +
      "change apart.",
    label: "Name of the branch",
    button: "Branch",
    done: "branched",
    action: "read",
  },
  copy: {
    title: "Copy",
    text:
      "A copy shares nothing with its source: all documents are written anew, which takes time " +
      "and room.",
    label: "Name of the copy",
    button: "Copy",
    done: "copied",
    action: "read",
  },
  checkpoint: {
    title: "Checkpoint",
    text:
      "A checkpoint keeps what the namespace is now; `trawl checkpoint restore` makes a " +
      "namespace of it again.",
    label: "Name of the checkpoint",
    button: "Make the checkpoint",
    done: "kept in a checkpoint",
    action: "admin",
  },
  delete: {
    title: "Delete",
    text:
      "All documents of the namespace are deleted. Only a checkpoint or a backup brings them " +
      "back.",
    label: "Type the namespace's name to delete it",
    button: "Delete for good",
    done: "deleted",
    action: "write",
  },
};

const CHECKPOINT_LIVES = [
  { value: "1", text: "a day" },
  { value: "7", text: "a week" },
  { value: "30", text: "30 days" },
  { value: "", text: "until it is deleted" },
];

/** The dialog of one namespace. */
export function ActDialog(props: {
  readonly act: Act;
  readonly namespace: string;
  readonly onAct: (act: Act) => void;
  readonly onClose: () => void;
  /** Called also where the dialog was closed meanwhile. */
  readonly onChanged: () => void;
}): JSX.Element {
  const { act, namespace, onAct, onClose, onChanged } = props;
  const facts = FACTS[act];
  const [text, setText] = useState("");
  const [days, setDays] = useState("7");
  const { fault, isBusy, refuse, run } = useSubmission();
  const error = fault?.message;
  const denied = deniedAct(act, namespace, text);
  const submit = () => {
    const wrong = faultOfInput(act, namespace, text);
    if (wrong !== undefined) return refuse(wrong);
    if (denied !== undefined) return;
    run(() => perform({ act, namespace, text, days }).then(onChanged), onClose);
  };
  return (
    <Dialog
      title={`${facts.title} ${namespace}`}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={act === "delete" ? "danger" : "primary"}
            isBusy={isBusy}
            denied={denied}
          >
            {facts.button}
          </Button>
        </>
      }
    >
      <Tabs
        label="What to do"
        value={act}
        tabs={ACTS.map((value) => ({ value, text: FACTS[value].title }))}
        onSelect={(next) => {
          refuse(undefined);
          setText("");
          onAct(next);
        }}
        panelId={PANEL}
      />
      <div id={PANEL} role="tabpanel" aria-label={facts.title} class="panel">
        <p>{facts.text}</p>
        <TextField label={facts.label} value={text} onInput={setText} autoFocus error={error} />
        {act === "checkpoint" && (
          <SelectField
            label="Kept for"
            value={days}
            choices={CHECKPOINT_LIVES}
            onSelect={setDays}
          />
        )}
      </div>
    </Dialog>
  );
}

interface Asked {
  readonly act: Act;
  readonly namespace: string;
  readonly text: string;
  /** Of a checkpoint; empty: without an end. */
  readonly days: string;
}

/** Why the key may not do it; where it goes to counts as soon as it has a name. */
function deniedAct(act: Act, namespace: string, text: string): string | undefined {
  const own = denial(FACTS[act].action, namespace);
  if (own !== undefined) return own;
  // Only these two name their source in the body, where any name is as good as another.
  if (act !== "branch" && act !== "copy") return unreachableReason(namespace);
  return text === "" ? denial("write") : denial("write", text);
}

/** What is wrong with what was typed. */
function faultOfInput(act: Act, namespace: string, text: string): string | undefined {
  switch (act) {
    case "branch":
    case "copy":
      return text === "" ? "Give it a name" : nameFault(text);
    case "checkpoint":
      return text === "" ? "Give it a name" : undefined;
    case "delete":
      return text === namespace ? undefined : `Type ${namespace}, letter for letter`;
  }
}

async function perform(asked: Asked): Promise<void> {
  await send(client.peek(), asked);
  announce(`${asked.namespace} ${FACTS[asked.act].done}`);
}

function send(api: ApiClient, { act, namespace, text, days }: Asked): Promise<void> {
  switch (act) {
    case "branch":
    case "copy":
      return copyNamespace(api, { kind: act, from: namespace, to: text });
    case "checkpoint": {
      const expiresInSeconds = days === "" ? undefined : Number(days) * DAY_SECONDS;
      return createCheckpoint(api, { namespace, name: text, expiresInSeconds });
    }
    case "delete":
      return deleteNamespace(api, namespace);
  }
}
