/** The filter above the table: its conditions as chips, and a form for one more. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AttributeMetadata } from "../../api/namespaces.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import {
  type Condition,
  conditionText,
  type Operator,
  operatorsOf,
  operatorText,
  parseOperand,
} from "./document-filters.ts";

/** What is filtered. */
export interface FilterBarProps {
  readonly schema: Readonly<Record<string, AttributeMetadata>>;
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
}

/** The chips, and the form when it is opened. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  const { conditions, onConditions } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div class="bar" role="group" aria-label="Filter">
        {conditions.map((condition, i) => {
          const text = conditionText(condition);
          return (
            <Chip
              key={text}
              title={text}
              onRemove={() => onConditions(conditions.filter((_, at) => at !== i))}
              removeLabel={`Remove the filter ${text}`}
            >
              <span class="chip-text">{text}</span>
            </Chip>
          );
        })}
        <Button look="quiet" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Add a filter
        </Button>
        {conditions.length > 1 && (
          <Button look="quiet" onClick={() => onConditions([])}>
            Remove all filters
          </Button>
        )}
      </div>
      {isOpen && (
        <ConditionForm
          {...props}
          onConditions={(next) => {
            onConditions(next);
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

function ConditionForm({ schema, conditions, onConditions }: FilterBarProps): JSX.Element {
  const names = Object.keys(schema).filter(
    (name) =>
      (name === "id" || schema[name].filterable === true) &&
      operatorsOf(schema[name].type).length > 0,
  );
  const [attribute, setAttribute] = useState(names[0] ?? "id");
  const type = schema[attribute]?.type ?? "string";
  const operators = operatorsOf(type);
  const [chosen, setOperator] = useState<Operator>("Eq");
  const operator = operators.includes(chosen) ? chosen : (operators[0] ?? "Eq");
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const add = (event: Event) => {
    event.preventDefault();
    const operand = parseOperand(type, operator, text);
    if ("fault" in operand) return setError(operand.fault);
    onConditions([...conditions, [attribute, operator, operand.value]]);
  };
  return (
    <form class="bar condition-form" onSubmit={add}>
      <SelectField
        label="Attribute"
        value={attribute}
        choices={names.map((value) => ({ value, text: value }))}
        onSelect={setAttribute}
      />
      <SelectField
        label="Operator"
        value={operator}
        choices={operators.map((value) => ({ value, text: operatorText(value) }))}
        onSelect={setOperator}
      />
      <TextField
        label={operator === "In" || operator === "NotIn" ? "Values, with commas" : "Value"}
        value={text}
        onInput={setText}
        error={error}
        placeholder={type}
      />
      <Button type="submit" look="primary">
        Filter
      </Button>
    </form>
  );
}
