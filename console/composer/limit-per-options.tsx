/** Controls of how many documents of each value come back. */

import type { JSX } from "preact";
import type { LimitPerModel, QueryModel } from "../query/query-model.ts";
import { limitPerAttributes } from "../query/request-schema.ts";
import { CheckField, TextField } from "../ui/field.tsx";
import { type EditorProps, FieldProblem } from "./editor-props.tsx";

/** See the file's head; nothing where no attribute has values to tell apart. */
export function LimitPerOptions(props: EditorProps<QueryModel>): JSX.Element | null {
  const { value: model, onChange, schema, problems } = props;
  const { limitPer } = model;
  const set = (changed: Partial<LimitPerModel>) =>
    onChange({ ...model, limitPer: { ...limitPer, ...changed } });
  const attributes = limitPerAttributes(schema);
  if (attributes.length === 0 && !limitPer.isOn) return null;
  return (
    <>
      <CheckField
        label="At most so many of each value"
        isChecked={limitPer.isOn}
        onChange={(isOn) => set({ isOn })}
      />
      {limitPer.isOn && (
        <>
          <div class="composer-row">
            <TextField
              label="Documents of each"
              value={limitPer.limit}
              hint="the first ones of the ranking"
              error={problems.get("limitPer")}
              onInput={(limit) => set({ limit })}
            />
          </div>
          <fieldset class="composer-set">
            <legend>Values of</legend>
            {attributes.map(({ name }) => (
              <CheckField
                key={name}
                label={name}
                isChecked={limitPer.attributes.includes(name)}
                onChange={(isChosen) => {
                  const others = limitPer.attributes.filter((each) => each !== name);
                  set({ attributes: isChosen ? [...others, name] : others });
                }}
              />
            ))}
            <FieldProblem text={problems.get("limitPer.attributes")} />
          </fieldset>
        </>
      )}
    </>
  );
}
