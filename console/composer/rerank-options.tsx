/** Controls of a model that orders anew what was found. */

import type { JSX } from "preact";
import type { QueryModel, RerankModel } from "../query/query-model.ts";
import { stringAttributes } from "../query/request-schema.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { attributeChoices, type EditorProps } from "./editor-props.tsx";

/** See the file's head. */
export function RerankOptions(props: EditorProps<QueryModel>): JSX.Element | null {
  const { value: model, onChange, schema, problems } = props;
  const { rerank } = model;
  const set = (changed: Partial<RerankModel>) =>
    onChange({ ...model, rerank: { ...rerank, ...changed } });
  const attributes = stringAttributes(schema);
  if (attributes.length === 0 && !rerank.isOn) return null;
  // What was looked for is what most people want it scored against.
  const turn = (isOn: boolean) => set({ isOn, query: rerank.query || soughtText(model) });
  return (
    <section class="composer-part" aria-label="Reranking">
      <CheckField label="Rerank by a model" isChecked={rerank.isOn} onChange={turn} />
      {rerank.isOn && (
        <>
          <div class="composer-row">
            <TextField
              label="Reranking model"
              value={rerank.model}
              placeholder="words"
              hint="a name of the server's --rerank-models"
              error={problems.get("rerank.model")}
              onInput={(name) => set({ model: name })}
            />
            <SelectField
              label="Text that it reads"
              value={rerank.attribute}
              choices={attributeChoices(attributes, rerank.attribute)}
              error={problems.get("rerank.attribute")}
              onSelect={(attribute) => set({ attribute })}
            />
          </div>
          <TextField
            label="Scored against"
            value={rerank.query}
            error={problems.get("rerank.query")}
            onInput={(query) => set({ query })}
          />
        </>
      )}
    </section>
  );
}

/** The words that the first of the rankings looks for. */
function soughtText({ rankings }: QueryModel): string {
  for (const { ranking } of rankings) {
    if (ranking.kind === "text") return ranking.query;
    if (ranking.kind === "vector" && ranking.from === "text") return ranking.text;
  }
  return "";
}
