import type { JSX } from "preact";
import { SelectField, TextField } from "../../ui/field.tsx";
import {
  type ColumnDraft,
  isTextType,
  isVectorType,
  type PlannedColumnView,
} from "./import-draft.ts";

/** What becomes of each column, to be corrected. */
export function SchemaTable(props: {
  readonly columns: readonly PlannedColumnView[];
  readonly onChange: (source: string, change: ColumnDraft) => void;
}): JSX.Element {
  const { columns, onChange } = props;
  return (
    <div class="schema-scroller" tabIndex={0} role="region" aria-label="Schema">
      <table class="schema">
        <thead>
          <tr>
            <th scope="col">Import</th>
            <th scope="col">Column</th>
            <th scope="col">Attribute</th>
            <th scope="col">Type</th>
            <th scope="col">Full text</th>
            <th scope="col">By meaning</th>
            <th scope="col">Filterable</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <SchemaRow
              key={column.source}
              column={column}
              onChange={(change) => onChange(column.source, change)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SchemaRow(props: {
  readonly column: PlannedColumnView;
  readonly onChange: (change: ColumnDraft) => void;
}): JSX.Element {
  const { column, onChange } = props;
  const { source, attribute, notes } = column;
  const isIn = attribute !== undefined;
  return (
    <>
      <tr class={isIn ? undefined : "schema-out"}>
        <td>
          <Check
            label={`Import ${source}`}
            isChecked={isIn}
            onChange={(isChecked) => onChange({ isLeftOut: !isChecked })}
          />
        </td>
        <th scope="row">
          <code>{source}</code>
        </th>
        <td>
          {isIn && (
            <TextField
              label={`Attribute of ${source}`}
              hidesLabel
              isCode
              value={attribute}
              onInput={(value) => onChange({ attribute: value })}
            />
          )}
        </td>
        <td>{isIn && <TypeChoice column={column} onChange={onChange} />}</td>
        <OptionCells {...props} />
      </tr>
      {(notes.length > 0 || column.fault !== undefined) && (
        <tr class="schema-notes">
          <td />
          <td colSpan={6}>
            {column.fault !== undefined && (
              <div class="field-error" role="alert">
                {column.fault}
              </div>
            )}
            {notes.length > 0 && <div class="field-hint">{notes.join("; ")}</div>}
          </td>
        </tr>
      )}
    </>
  );
}

/** How the attribute can be searched; one that the namespace has stays as it is. */
function OptionCells(props: {
  readonly column: PlannedColumnView;
  readonly onChange: (change: ColumnDraft) => void;
}): JSX.Element {
  const { column, onChange } = props;
  const { source, attribute, type, isFixed } = column;
  const isOpen = attribute !== undefined && !isFixed && type !== undefined;
  return (
    <>
      <td>
        {isOpen && isTextType(type) && (
          <Check
            label={`Full text of ${source}`}
            isChecked={column.isFullText}
            onChange={(isFullText) => onChange({ isFullText })}
          />
        )}
      </td>
      <td>
        {isOpen && type === "string" && (
          <Check
            label={`Meaning of ${source}`}
            isChecked={column.isByMeaning}
            onChange={(isByMeaning) => onChange({ isByMeaning })}
          />
        )}
      </td>
      <td>
        {isOpen && !isVectorType(type) && (
          <Check
            label={`Filters on ${source}`}
            isChecked={column.isFilterable}
            onChange={(isFilterable) => onChange({ isFilterable })}
          />
        )}
      </td>
    </>
  );
}

function TypeChoice(props: {
  readonly column: PlannedColumnView;
  readonly onChange: (change: ColumnDraft) => void;
}): JSX.Element {
  const { source, type, types, isFixed } = props.column;
  if (isFixed) {
    return (
      <>
        <code>{type}</code> <span class="muted">as it is</span>
      </>
    );
  }
  const choices = types.map((value) => ({ value, text: value }));
  const undecided = { value: "", text: "as the first value" };
  return (
    <SelectField
      label={`Type of ${source}`}
      hidesLabel
      value={type ?? ""}
      choices={type === undefined ? [undecided, ...choices] : choices}
      onSelect={(value) => props.onChange({ type: value })}
    />
  );
}

function Check(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): JSX.Element {
  return (
    <input
      type="checkbox"
      class="schema-check"
      aria-label={props.label}
      checked={props.isChecked}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}
