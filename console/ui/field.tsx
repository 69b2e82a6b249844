/** Inputs with their names, hints and errors. */

import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** What every field has. */
export interface FieldProps {
  readonly label: string;
  /** The name is for screen readers alone, since the place says it. */
  readonly hidesLabel?: boolean;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value, and what would be right. */
  readonly error?: string | undefined;
}

/** A field of one line. */
export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "search" | "password";
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  /** Several lines, so many of them. */
  readonly rows?: number;
  /** In the font of code. */
  readonly isCode?: boolean;
}

/** Text that is typed. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { value, onInput, type = "text", placeholder, rows, isCode } = props;
  return (
    <Labelled {...props}>
      {(described) => {
        const all = {
          ...described,
          value,
          placeholder,
          class: isCode ? "input code" : "input",
          autocomplete: "off",
          spellcheck: false,
          "data-autofocus": props.autoFocus ? "" : undefined,
          onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
        } as const;
        return rows === undefined ? (
          <input {...all} type={type as "text"} />
        ) : (
          <textarea rows={rows} {...all} />
        );
      }}
    </Labelled>
  );
}

/** One of some choices. */
export interface SelectFieldProps<T extends string> extends FieldProps {
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly text: string }[];
  readonly onSelect: (value: T) => void;
}

/** A choice of which one holds. */
export function SelectField<T extends string>(props: SelectFieldProps<T>): JSX.Element {
  const { value, choices, onSelect } = props;
  return (
    <Labelled {...props}>
      {(described) => (
        <select
          {...described}
          class="input"
          value={value}
          onChange={(event) => onSelect(event.currentTarget.value as T)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A choice that holds or does not. */
export function CheckField(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): JSX.Element {
  const { label, isChecked, onChange } = props;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

function Labelled(
  props: FieldProps & { readonly children: (described: Described) => JSX.Element },
): JSX.Element {
  const { label, hidesLabel, hint, error, children } = props;
  const id = useId();
  const note = hint === undefined && error === undefined ? undefined : `${id}-note`;
  return (
    <div class="field">
      <label for={id} class={hidesLabel ? "visually-hidden" : "field-label"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": note,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <div id={note} class={error === undefined ? "field-hint" : "field-error"}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}
