/** Buttons: one look for what acts. */

import type { ComponentChildren, JSX } from "preact";

/** What a button takes; all else goes to the element. */
export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  /** `primary`: what the screen is for; `danger`: what cannot be undone; `quiet`: in rows and bars. */
  readonly look?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** Why it cannot be used now; it stays reachable, so that the reason can be read. */
  readonly denied?: string | undefined;
  /** What it does is under way. */
  readonly isBusy?: boolean;
  /** Its name where its content is a sign. */
  readonly label?: string;
  readonly isPressed?: boolean;
  readonly expanded?: boolean;
}

/** A button. One that is denied or busy does nothing. */
export function Button(props: ButtonProps): JSX.Element {
  const { children, look = "plain", type = "button", denied, isBusy = false, onClick } = props;
  const isOff = denied !== undefined || isBusy;
  return (
    <button
      type={type}
      class={`button button-${look}`}
      aria-disabled={isOff}
      aria-busy={isBusy}
      aria-label={props.label}
      aria-pressed={props.isPressed}
      aria-expanded={props.expanded}
      title={denied ?? props.label}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {denied !== undefined && <span class="visually-hidden"> ({denied})</span>}
    </button>
  );
}
