/** The filter above the table: its conditions as chips, and a form for one more. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ConditionControls, newCondition } from "../../composer/filter-editor.tsx";
import { partPlace } from "../../query/build-filter.ts";
import { filterAttributes } from "../../query/filter-operators.ts";
import type { RequestSchema } from "../../query/request-schema.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { type Condition, shownCondition, typedCondition } from "./document-filters.ts";

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();
/** Where the fault of the only condition of a filter is noted. */
const CONDITION_PLACE = partPlace("filter", 0);

/** What is filtered. */
export interface FilterBarProps {
  readonly schema: RequestSchema;
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
}

/** The chips, and the form when it is opened. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  const { schema, conditions, onConditions } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div class="bar" role="group" aria-label="Filter">
        {conditions.map((condition, i) => {
          const text = shownCondition(condition, schema);
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
  // There is one: ids can always be filtered by.
  const [model, setModel] = useState(() => newCondition(filterAttributes(schema.values())[0]));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(NO_PROBLEMS);
  const add = (event: Event) => {
    event.preventDefault();
    const typed = typedCondition(model, schema);
    if ("problems" in typed) return setProblems(typed.problems);
    onConditions([...conditions, typed.condition]);
  };
  return (
    <form class="bar condition-form" onSubmit={add}>
      <ConditionControls
        value={model}
        onChange={(changed) => changed !== undefined && setModel(changed)}
        schema={schema}
        problems={problems}
        place={CONDITION_PLACE}
      />
      <Button type="submit" look="primary">
        Filter
      </Button>
    </form>
  );
}
