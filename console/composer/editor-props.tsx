/** What the controls of all parts of a query share. */

import type { JSX } from "preact";
import type { RequestAttribute, RequestSchema } from "../query/request-schema.ts";

/** What the controls of a part of the query have. */
export interface EditorProps<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly schema: RequestSchema;
  /** What is wrong, by place. */
  readonly problems: ReadonlyMap<string, string>;
  /** Of these controls. */
  readonly place: string;
}

/** Attributes as choices; the one that is set is among them in any case. */
export function attributeChoices(attributes: readonly RequestAttribute[], value: string) {
  const choices = attributes.map(({ name, typeText }) => ({
    value: name,
    text: `${name} · ${typeText}`,
  }));
  if (choices.some((choice) => choice.value === value)) return choices;
  return [{ value, text: value === "" ? "none" : value }, ...choices];
}

/** What is wrong with a group of controls. */
export function FieldProblem(props: { readonly text: string | undefined }): JSX.Element | null {
  return props.text === undefined ? null : <p class="field-error">{props.text}</p>;
}
