/** What screens say of themselves: empty, under way, failed. */

import type { ComponentChildren, JSX } from "preact";
import type { ApiFault } from "../api/api-fault.ts";
import { Button } from "./button.tsx";

/** What stands where there is nothing yet: what it is, and what to do next. */
export function EmptyState(props: {
  readonly title: string;
  /** It is all that the screen has, and its title that of the page. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      {props.isPage ? <h1>{props.title}</h1> : <h2>{props.title}</h2>}
      {props.children !== undefined && <p>{props.children}</p>}
      {props.action}
    </div>
  );
}

/** What went wrong, in the server's words, with the means to try again. */
export function ErrorNote(props: {
  readonly fault: Pick<ApiFault, "message"> & Partial<Pick<ApiFault, "requestId" | "status">>;
  readonly onRetry?: () => void;
}): JSX.Element {
  const { fault, onRetry } = props;
  return (
    <div class="note note-error" role="alert">
      <p class="note-text">{fault.message}</p>
      <p class="note-facts">
        {fault.status ? `Status ${fault.status}` : ""}
        {fault.requestId ? ` · request ${fault.requestId}` : ""}
      </p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** That something is under way, and what. */
export function Spinner(props: { readonly label: string }): JSX.Element {
  return (
    <span class="spinner" role="status">
      <span class="spinner-ring" aria-hidden="true" />
      {props.label}
    </span>
  );
}

/** How far something is; `value` from 0 to 1. */
export function Progress(props: { readonly label: string; readonly value: number }): JSX.Element {
  const { label, value } = props;
  return (
    <label class="progress">
      <span>{label}</span>
      <progress value={value} max={1} />
    </label>
  );
}
