/** Creating a namespace by example: a document is pasted, its types are shown and can be changed. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { writeDocuments } from "../../api/documents.ts";
import { nameFault as faultOfName } from "../../api/reachable-name.ts";
import { client, denial } from "../../state/session.ts";
import { useSubmission } from "../../state/use-submission.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { creatingWrite, type InferredAttribute, inferSchema } from "./infer-schema.ts";

const EXAMPLE = `{
  "id": 1,
  "title": "A walrus at sea",
  "year": 1999,
  "vector": [0.1, 0.9]
}`;

/** The dialog; `onCreated` is told the new namespace's name. */
export function CreateDialog(props: {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const [text, setText] = useState(EXAMPLE);
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { fault, isBusy, refuse, create } = useCreation(props.onCreated);
  const inferred = inferSchema(text);
  const attributes =
    inferred.kind === "fault"
      ? []
      : inferred.attributes.map((each) => ({
          ...each,
          fullText: changed.get(each.name) ?? each.fullText,
        }));
  const nameFault = name === "" ? undefined : faultOfName(name);
  const denied = name === "" ? denial("write") : denial("write", name);
  const submit = () => {
    if (name === "") return refuse("Give the namespace a name");
    if (nameFault !== undefined || inferred.kind === "fault" || denied !== undefined) return;
    create(name, creatingWrite(inferred.document, attributes));
  };
  return (
    <Dialog
      title="Create a namespace"
      isWide
      onClose={props.onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy} denied={denied}>
            Create
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        autoFocus
        placeholder="books"
        error={nameFault}
      />
      <TextField
        label="One document as an example"
        value={text}
        onInput={setText}
        rows={9}
        isCode
        hint="It becomes the first document; types follow from it."
        error={inferred.kind === "fault" ? inferred.message : undefined}
      />
      {inferred.kind === "schema" && (
        <InferredTable
          attributes={attributes}
          notes={inferred.notes}
          onFullText={(attribute, isOn) => setChanged(new Map(changed).set(attribute, isOn))}
        />
      )}
      {fault !== undefined && (
        <p class="field-error" role="alert">
          {fault.message}
        </p>
      )}
    </Dialog>
  );
}

/** The write that creates. */
function useCreation(onCreated: (name: string) => void) {
  const { run, ...submission } = useSubmission();
  const create = (namespace: string, body: unknown) =>
    run(
      async () => {
        await writeDocuments(client.peek(), { namespace, body });
        announce(`Namespace ${namespace} created`);
      },
      () => onCreated(namespace),
    );
  return { ...submission, create };
}

function InferredTable(props: {
  readonly attributes: readonly InferredAttribute[];
  readonly notes: readonly string[];
  readonly onFullText: (attribute: string, isOn: boolean) => void;
}): JSX.Element {
  return (
    <>
      <table class="facts">
        <caption>The schema</caption>
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Type</th>
            <th scope="col">Found by</th>
          </tr>
        </thead>
        <tbody>
          {props.attributes.map(({ name, type, fullText, isVector }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <code>{type}</code>
              </td>
              <td>
                {isVector && "nearest neighbours, by cosine distance"}
                {type === "string" && (
                  <CheckField
                    label={`full text of ${name}`}
                    isChecked={fullText}
                    onChange={(isOn) => props.onFullText(name, isOn)}
                  />
                )}
                {!isVector && type !== "string" && "filters and order"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {props.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </>
  );
}
