/** Controls of what comes back: how many documents, which attributes, how fresh. */

import type { JSX } from "preact";
import type { QueryModel, SelectionModel } from "../query/query-model.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import type { EditorProps } from "./editor-props.tsx";
import { LimitPerOptions } from "./limit-per-options.tsx";

/** See the file's head. */
export function AnswerOptions(props: EditorProps<QueryModel>): JSX.Element {
  const { value: model, onChange, problems } = props;
  const isDocuments = model.form === "documents";
  const hasText = model.rankings.some(({ ranking }) => ranking.kind === "text");
  return (
    <section class="composer-part" aria-label="Answer">
      <h2>Answer</h2>
      <div class="composer-row">
        {isDocuments && (
          <TextField
            label="Documents"
            value={model.limit}
            error={problems.get("limit")}
            onInput={(limit) => onChange({ ...model, limit })}
          />
        )}
        {isDocuments && model.rankings.length === 1 && (
          <TextField
            label="Skipped"
            value={model.offset}
            error={problems.get("offset")}
            onInput={(offset) => onChange({ ...model, offset })}
          />
        )}
        <SelectField
          label="Consistency"
          value={model.consistency}
          choices={[
            { value: "strong", text: "strong" },
            { value: "eventual", text: "eventual" },
          ]}
          onSelect={(consistency) => onChange({ ...model, consistency })}
        />
      </div>
      {isDocuments && <SelectionFields {...props} />}
      {isDocuments && model.rankings.length === 1 && <LimitPerOptions {...props} />}
      {isDocuments && hasText && (
        <CheckField
          label="Show what matched (highlights)"
          isChecked={model.highlight}
          onChange={(highlight) => onChange({ ...model, highlight })}
        />
      )}
    </section>
  );
}

function SelectionFields(props: EditorProps<QueryModel>): JSX.Element {
  const { value: model, onChange, schema } = props;
  const { selection } = model;
  const set = (changed: SelectionModel) => onChange({ ...model, selection: changed });
  const isList = selection.kind === "include" || selection.kind === "exclude";
  return (
    <>
      <SelectField
        label="Attributes"
        value={selection.kind}
        choices={[
          { value: "all", text: "all" },
          { value: "exclude", text: "all but" },
          { value: "include", text: "these" },
          { value: "none", text: "none but the id" },
        ]}
        onSelect={(kind) => set({ kind, names: isList || kind === "none" ? selection.names : [] })}
      />
      {isList && (
        <fieldset class="composer-set">
          <legend class="visually-hidden">
            {selection.kind === "include" ? "Attributes that come back" : "Attributes that do not"}
          </legend>
          {[...schema.keys()]
            .filter((name) => name !== "id")
            .map((name) => (
              <CheckField
                key={name}
                label={name}
                isChecked={selection.names.includes(name)}
                onChange={(isChosen) => {
                  const others = selection.names.filter((each) => each !== name);
                  set({ ...selection, names: isChosen ? [...others, name] : others });
                }}
              />
            ))}
        </fieldset>
      )}
    </>
  );
}
