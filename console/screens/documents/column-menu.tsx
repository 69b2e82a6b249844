/** Which attributes are columns of the table. */

import type { JSX } from "preact";
import { CheckField } from "../../ui/field.tsx";

/** A menu of all attributes; those that are chosen are columns, in the order of the schema. */
export function ColumnMenu(props: {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}): JSX.Element {
  const { names, chosen, onChange } = props;
  return (
    <details class="menu">
      <summary class="button">
        Columns {chosen.length}/{names.length}
      </summary>
      <div class="menu-body" role="group" aria-label="Columns">
        {names.map((name) => (
          <CheckField
            key={name}
            label={name}
            isChecked={chosen.includes(name)}
            onChange={(isOn) =>
              onChange(names.filter((each) => (each === name ? isOn : chosen.includes(each))))
            }
          />
        ))}
      </div>
    </details>
  );
}
