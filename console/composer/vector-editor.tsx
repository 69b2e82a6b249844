/** Controls of a ranking by distance: to a text, to given values, or to a document's vector. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { apiPath } from "../api/api-client.ts";
import { isList, isMembers, type Json } from "../query/json-value.ts";
import { readValue } from "../query/operand-text.ts";
import { printJson } from "../query/print-literal.ts";
import type { VectorRanking } from "../query/query-model.ts";
import { nearAttributes, type RequestAttribute } from "../query/request-schema.ts";
import { currentRoute } from "../state/route.ts";
import { client } from "../state/session.ts";
import { useSubmission } from "../state/use-submission.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { attributeChoices, type EditorProps } from "./editor-props.tsx";

/** See the file's head. */
export function VectorEditor(props: EditorProps<VectorRanking>): JSX.Element {
  const { value, onChange, schema, problems, place } = props;
  const near = nearAttributes(schema);
  if (near.length === 0) {
    return (
      <p class="composer-note">
        No attribute has vectors. Write documents with a <code>vector</code>, or declare{" "}
        <code>"embed"</code> for a text, and this ranks by distance.
      </p>
    );
  }
  const setAttribute = (name: string) => {
    const from = schema.get(name)?.embedModel === undefined ? value.from : "text";
    onChange({ ...value, attribute: name, from });
  };
  return (
    <>
      <div class="composer-row">
        <SelectField
          label="Near in"
          value={value.attribute}
          choices={attributeChoices(near, value.attribute)}
          onSelect={setAttribute}
        />
        <SelectField
          label="Method"
          value={value.method}
          choices={[
            { value: "ANN", text: "ANN, by the index" },
            { value: "kNN", text: "kNN, exact" },
          ]}
          error={problems.get(`${place}.method`)}
          onSelect={(method) => onChange({ ...value, method })}
        />
        <SelectField
          label="To"
          value={value.from}
          choices={[
            { value: "text", text: "a text" },
            { value: "values", text: "a vector" },
          ]}
          onSelect={(from) => onChange({ ...value, from })}
        />
      </div>
      {value.from === "text" ? <TextSource {...props} /> : <ValueSource {...props} />}
    </>
  );
}

function TextSource(props: EditorProps<VectorRanking>): JSX.Element {
  const { value, onChange, schema, problems, place } = props;
  const model = schema.get(value.attribute)?.embedModel;
  return (
    <>
      <TextField
        label="Text"
        value={value.text}
        placeholder="something like this"
        hint={model === undefined ? undefined : `${model} makes it a vector`}
        error={problems.get(`${place}.text`)}
        onInput={(text) => onChange({ ...value, text })}
      />
      {(model === undefined || value.model !== "") && (
        <TextField
          label="Model"
          value={value.model}
          placeholder="openai/text-embedding-3-small"
          error={problems.get(`${place}.model`)}
          onInput={(name) => onChange({ ...value, model: name })}
        />
      )}
    </>
  );
}

function ValueSource(props: EditorProps<VectorRanking>): JSX.Element {
  const { value, onChange, problems, place } = props;
  return (
    <>
      <DocumentSource {...props} />
      <TextField
        label="Vector"
        value={value.values}
        rows={3}
        isCode
        placeholder="[0.1, 0.9, …]"
        error={problems.get(`${place}.values`)}
        onInput={(values) => onChange({ ...value, values })}
      />
    </>
  );
}

/** More like a document: its vector is read, and stands in the request. */
function DocumentSource(props: EditorProps<VectorRanking>): JSX.Element {
  const { schema } = props;
  const { attribute } = props.value;
  const [id, setId] = useState("");
  const { fault, isBusy, refuse, run } = useSubmission();
  const latest = useRef(props);
  latest.current = props;
  const take = () => {
    const typed = readValue(id.trim(), schema.get("id") as RequestAttribute);
    if ("problem" in typed) return refuse(typed.problem);
    if (id.trim() === "") return refuse("type the id of a document");
    run(
      () => documentVector(typed.value, attribute),
      (values) => {
        // The query may have been changed meanwhile.
        const { value, onChange } = latest.current;
        if (value.attribute === attribute) onChange({ ...value, values });
      },
    );
  };
  return (
    <form
      class="composer-row composer-row-end"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextField
        label="More like the document"
        value={id}
        placeholder="its id"
        error={fault?.message}
        onInput={setId}
      />
      <Button type="submit" isBusy={isBusy}>
        Take its vector
      </Button>
    </form>
  );
}

/** The vector of a document as JSON. Throws where there is none. */
export async function documentVector(id: Json, attribute: string): Promise<string> {
  const namespace = currentRoute.peek().namespace ?? "";
  const answer = await client.peek().json<Json>({
    method: "POST",
    path: apiPath("v2", "namespaces", namespace, "query"),
    json: { filters: ["id", "Eq", id], top_k: 1, include_attributes: [attribute] },
  });
  const rows = isMembers(answer) ? answer.rows : undefined;
  const row = isList(rows) ? rows[0] : undefined;
  if (!isMembers(row)) throw new Error(`there is no document ${String(id)}`);
  const vector = row[attribute];
  if (!isList(vector)) throw new Error(`document ${String(id)} has no ${attribute}`);
  return printJson(vector);
}
