/** Controls of a query for counts and sums. */

import type { JSX } from "preact";
import type { AggregateModel, QueryModel } from "../query/query-model.ts";
import { groupAttributes, sumAttributes } from "../query/request-schema.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { attributeChoices, type EditorProps, FieldProblem } from "./editor-props.tsx";

/** See the file's head. */
export function AggregateEditor(props: EditorProps<QueryModel>): JSX.Element {
  const { value: model, onChange, schema, problems } = props;
  const groupable = groupAttributes(schema);
  const addFunction = () => {
    const label = freeLabel(model.aggregates);
    onChange({
      ...model,
      aggregates: [...model.aggregates, { label, of: "Count", attribute: "" }],
    });
  };
  return (
    <section class="composer-part" aria-label="Functions">
      {model.aggregates.map((_, i) => (
        <FunctionRow {...props} key={i} index={i} />
      ))}
      <FieldProblem text={problems.get("aggregates")} />
      <Button look="quiet" onClick={addFunction}>
        + Function
      </Button>
      {groupable.length > 0 && (
        <fieldset class="composer-set">
          <legend>For each value of</legend>
          {groupable.map(({ name }) => (
            <CheckField
              key={name}
              label={name}
              isChecked={model.groupBy.includes(name)}
              onChange={(isChosen) => {
                const others = model.groupBy.filter((each) => each !== name);
                onChange({ ...model, groupBy: isChosen ? [...others, name] : others });
              }}
            />
          ))}
          <FieldProblem text={problems.get("groupBy")} />
        </fieldset>
      )}
      {model.groupBy.length > 0 && (
        <TextField
          label="Groups at most"
          value={model.groupLimit}
          error={problems.get("groupLimit")}
          onInput={(groupLimit) => onChange({ ...model, groupLimit })}
        />
      )}
    </section>
  );
}

function FunctionRow(props: EditorProps<QueryModel> & { readonly index: number }): JSX.Element {
  const { value: model, onChange, schema, problems, index } = props;
  const one = model.aggregates[index];
  const replace = (changed: Partial<AggregateModel>) =>
    onChange({ ...model, aggregates: model.aggregates.with(index, { ...one, ...changed }) });
  const summable = sumAttributes(schema);
  return (
    <div class="composer-row composer-row-end">
      <TextField
        label="Name in the answer"
        value={one.label}
        error={problems.get(`aggregates.${index}`)}
        onInput={(label) => replace({ label })}
      />
      <SelectField
        label="Function"
        value={one.of}
        choices={[
          { value: "Count", text: "count of documents" },
          ...(summable.length > 0 ? [{ value: "Sum" as const, text: "sum of" }] : []),
        ]}
        onSelect={(of) => replace({ of, attribute: of === "Sum" ? (summable[0]?.name ?? "") : "" })}
      />
      {one.of === "Sum" && (
        <SelectField
          label="Attribute"
          value={one.attribute}
          choices={attributeChoices(summable, one.attribute)}
          onSelect={(attribute) => replace({ attribute })}
        />
      )}
      <Button
        look="quiet"
        label={`Remove the function ${one.label}`}
        onClick={() => onChange({ ...model, aggregates: model.aggregates.toSpliced(index, 1) })}
      >
        ✕
      </Button>
    </div>
  );
}

function freeLabel(aggregates: readonly AggregateModel[]): string {
  const used = new Set(aggregates.map(({ label }) => label));
  for (let i = 1; ; i++) {
    const label = i === 1 ? "count" : `count_${i}`;
    if (!used.has(label)) return label;
  }
}
