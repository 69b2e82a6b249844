/** Tabs: one of several views of the same thing. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";

/** What tabs have. What the chosen one shows is for its user to render, named by `panelId`. */
export interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly value: T; readonly text: string }[];
  readonly value: T;
  readonly onSelect: (value: T) => void;
  /** The element that shows what is chosen: `role="tabpanel"`. */
  readonly panelId: string;
}

/** A row of tabs, in which the arrow keys go. */
export function Tabs<T extends string>(props: TabsProps<T>): JSX.Element {
  const { label, tabs, value, onSelect, panelId } = props;
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = (at + step + tabs.length) % tabs.length;
    onSelect(tabs[next].value);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab.value === value}
          aria-controls={panelId}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onSelect(tab.value)}
        >
          {tab.text}
        </button>
      ))}
    </div>
  );
}
