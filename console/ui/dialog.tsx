/** Dialogs: the browser's own element, which keeps the focus and ends with Escape. */

import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

/** What a dialog has. It is open as long as it is rendered. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Its buttons. */
  readonly actions?: ComponentChildren;
  /** What Enter does in one of its fields. */
  readonly onSubmit?: () => void;
  readonly isWide?: boolean;
}

/** A dialog over all else. What had the focus has it again when it closes. */
export function Dialog(props: DialogProps): JSX.Element {
  const { title, onClose, children, actions, onSubmit, isWide } = props;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Effects run after painting: what is typed until then would go to the page below.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <div class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="button button-quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </div>
        <div class="dialog-body">{children}</div>
        {actions !== undefined && <div class="dialog-actions">{actions}</div>}
      </form>
    </dialog>
  );
}
