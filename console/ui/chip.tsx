/** Small words: a state, or a filter that can be taken away. */

import type { ComponentChildren, JSX } from "preact";

/** A word about something, with a tone; with `onRemove`, one that can be taken away. */
export function Chip(props: {
  readonly children: ComponentChildren;
  readonly tone?: "plain" | "good" | "warn" | "bad";
  readonly title?: string;
  /** Needs `removeLabel`. */
  readonly onRemove?: () => void;
  readonly removeLabel?: string;
}): JSX.Element {
  const { children, tone = "plain", title, onRemove, removeLabel } = props;
  return (
    <span class={`chip chip-${tone}`} title={title}>
      {children}
      {onRemove !== undefined && (
        <button type="button" class="chip-remove" aria-label={removeLabel} onClick={onRemove}>
          ✕
        </button>
      )}
    </span>
  );
}
