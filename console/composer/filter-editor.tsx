/** Filters as chips: each says its condition, and opens to its controls. */

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { partPlace } from "../query/build-filter.ts";
import { conditionText } from "../query/condition-text.ts";
import {
  type BuilderOperator,
  filterAttributes,
  operandShape,
  operatorsOf,
  operatorWords,
  takesPrefix,
} from "../query/filter-operators.ts";
import type { ConditionModel, FilterModel, GroupModel } from "../query/query-model.ts";
import type { RequestAttribute } from "../query/request-schema.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import "./composer.css";
import { attributeChoices, type EditorProps } from "./editor-props.tsx";

/** Groups within groups that can be made here; JSON may have more, and they are shown. */
const GROUP_DEPTH_MAX = 4;

/** A group of conditions with its controls; `depth` 0 is the whole filter. */
export function FilterEditor(
  props: EditorProps<GroupModel> & { readonly depth?: number },
): JSX.Element {
  const { value, onChange, schema, place, depth = 0 } = props;
  const first = filterAttributes(schema.values())[0];
  if (first === undefined) return <p class="composer-note">No attribute can be filtered by.</p>;
  const setPart = (i: number, part: FilterModel | undefined) => {
    const parts = part === undefined ? value.parts.toSpliced(i, 1) : value.parts.with(i, part);
    onChange({ ...value, parts });
  };
  const add = (part: FilterModel) => onChange({ ...value, parts: [...value.parts, part] });
  return (
    <div
      class={depth === 0 ? "filter" : "filter filter-group"}
      role="group"
      aria-label={nameOf(depth)}
    >
      {(value.parts.length > 1 || value.not || depth > 0) && (
        <SelectField
          label="Documents match"
          hidesLabel
          value={`${value.not ? "not " : ""}${value.join}`}
          choices={JOINS}
          onSelect={(chosen) =>
            onChange({
              ...value,
              join: chosen.endsWith("Or") ? "Or" : "And",
              not: chosen.startsWith("not "),
            })
          }
        />
      )}
      <div class="filter-parts">
        {value.parts.map((part, i) => {
          const own = {
            ...props,
            place: partPlace(place, i),
            onChange: (changed: FilterModel | undefined) => setPart(i, changed),
          };
          return part.kind === "group" ? (
            <div class="filter-nested" key={i}>
              <FilterEditor {...own} value={part} depth={depth + 1} />
              <Button look="quiet" label="Remove this group" onClick={() => setPart(i, undefined)}>
                ✕
              </Button>
            </div>
          ) : (
            <ConditionChip {...own} key={i} value={part} />
          );
        })}
        <Button look="quiet" onClick={() => add(newCondition(first))}>
          + Filter
        </Button>
        {depth < GROUP_DEPTH_MAX && value.parts.length > 0 && (
          <Button
            look="quiet"
            onClick={() => add({ ...newGroup(value), parts: [newCondition(first)] })}
          >
            + Group
          </Button>
        )}
      </div>
    </div>
  );
}

const JOINS = [
  { value: "And", text: "all of" },
  { value: "Or", text: "any of" },
  { value: "not And", text: "not all of" },
  { value: "not Or", text: "none of" },
] as const;

function nameOf(depth: number): string {
  return depth === 0 ? "Filters" : `Filters, group of level ${depth}`;
}

/** A group is there to be joined the other way than the one around it. */
function newGroup({ join }: GroupModel): GroupModel {
  return { kind: "group", join: join === "And" ? "Or" : "And", not: false, parts: [] };
}

/** A condition on an attribute, by the first of its operators. */
export function newCondition(attribute: RequestAttribute): ConditionModel {
  const operator = operatorsOf(attribute)[0];
  const empty = { operand: "", lastAsPrefix: false, distance: 1 } as const;
  return { kind: "condition", attribute: attribute.name, operator, ...empty };
}

interface ConditionProps extends Omit<EditorProps<ConditionModel>, "onChange"> {
  /** Undefined takes it away. */
  readonly onChange: (value: ConditionModel | undefined) => void;
}

function ConditionChip(props: ConditionProps): JSX.Element {
  const { value, onChange, problems, place } = props;
  const problem = problems.get(place);
  const [isOpen, setOpen] = useState(problem !== undefined);
  const id = useId();
  const text = conditionText(value);
  return (
    <div class={isOpen ? "condition condition-open" : "condition"}>
      <span class={problem === undefined ? "chip chip-filter" : "chip chip-filter chip-bad"}>
        <button
          type="button"
          class="chip-text"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {text}
          {problem !== undefined && <span class="visually-hidden"> ({problem})</span>}
        </button>
        <button
          type="button"
          class="chip-remove"
          aria-label={`Remove the filter ${text}`}
          onClick={() => onChange(undefined)}
        >
          ✕
        </button>
      </span>
      <div id={id} class="condition-controls" hidden={!isOpen}>
        {isOpen && <ConditionControls {...props} />}
      </div>
    </div>
  );
}

/** Attribute, operator and operand of one condition. */
export function ConditionControls(props: ConditionProps): JSX.Element {
  const { value, onChange, schema, problems, place } = props;
  const attribute = schema.get(value.attribute);
  const operators = attribute === undefined ? [] : operatorsOf(attribute);
  const setAttribute = (name: string) => {
    const chosen = schema.get(name);
    const allowed = chosen === undefined ? [] : operatorsOf(chosen);
    const operator = allowed.includes(value.operator) ? value.operator : allowed[0];
    onChange({ ...value, attribute: name, operator });
  };
  const shape = attribute === undefined ? "value" : operandShape(attribute, value.operator);
  return (
    <div class="composer-row">
      <SelectField
        label="Attribute"
        value={value.attribute}
        choices={attributeChoices(filterAttributes(schema.values()), value.attribute)}
        onSelect={setAttribute}
      />
      <SelectField<BuilderOperator>
        label="Operator"
        value={value.operator}
        choices={operators.map((operator) => ({
          value: operator,
          text: `${operatorWords(operator)} · ${operator}`,
        }))}
        onSelect={(operator) => onChange({ ...value, operator })}
      />
      {shape !== "none" && (
        <OperandField {...props} attribute={attribute} error={problems.get(place)} />
      )}
      {takesPrefix(value.operator) && shape === "words" && (
        <CheckField
          label="The last word may be the beginning of one"
          isChecked={value.lastAsPrefix}
          onChange={(lastAsPrefix) => onChange({ ...value, lastAsPrefix })}
        />
      )}
      {shape === "fuzzy" && (
        <SelectField
          label="Edits forgiven"
          value={String(value.distance)}
          choices={["0", "1", "2"].map((each) => ({ value: each, text: each }))}
          hint={`the text needs ${3 * (value.distance + 1)} characters`}
          onSelect={(text) => onChange({ ...value, distance: Number(text) as 0 | 1 | 2 })}
        />
      )}
    </div>
  );
}

function OperandField(
  props: ConditionProps & {
    readonly attribute: RequestAttribute | undefined;
    readonly error: string | undefined;
  },
): JSX.Element {
  const { value, onChange, attribute, error } = props;
  const shape = attribute === undefined ? "value" : operandShape(attribute, value.operator);
  const type = attribute?.type;
  if (shape === "value" && type?.kind === "scalar" && type.of === "bool") {
    return (
      <SelectField
        label="Value"
        value={value.operand}
        error={error}
        choices={["", "true", "false"].map((text) => ({ value: text, text }))}
        onSelect={(operand) => onChange({ ...value, operand })}
      />
    );
  }
  return (
    <TextField
      label={shape === "list" ? "Values" : "Value"}
      value={value.operand}
      error={error}
      hint={shape === "list" ? "with commas between them" : undefined}
      placeholder={placeholderOf(attribute)}
      onInput={(operand) => onChange({ ...value, operand })}
    />
  );
}

function placeholderOf(attribute: RequestAttribute | undefined): string {
  const type = attribute?.type;
  if (type?.kind !== "scalar" && type?.kind !== "array") return "";
  if (type.of === "datetime") return "2026-11-25T08:00:00Z";
  return type.of;
}
