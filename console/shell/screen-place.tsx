/** The place of a screen: loads it, and says what went wrong where it cannot be shown. */

import type { ComponentType, JSX } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { EmptyState, ErrorNote, Spinner } from "../ui/notes.tsx";
import { OpenNamespace } from "./open-namespace.tsx";
import type { ScreenEntry } from "./screen-table.ts";

type Loaded =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "done"; readonly Screen: ComponentType };

/** A screen, or what is in its way. It is made anew for each screen and namespace. */
export function ScreenPlace(props: {
  readonly entry: ScreenEntry | undefined;
  /** Why the key may not see it. */
  readonly denied: string | undefined;
}): JSX.Element {
  const { entry, denied } = props;
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading" });
  const [turn, setTurn] = useState(0);
  const [error, resetError] = useErrorBoundary();
  useEffect(() => {
    setLoaded({ kind: "loading" });
    entry?.load().then(
      (Screen) => setLoaded({ kind: "done", Screen }),
      (reason: Error) => setLoaded({ kind: "failed", error: reason }),
    );
  }, [entry, turn]);
  if (entry === undefined) {
    return (
      <EmptyState
        isPage
        title="There is no such page"
        action={<a href="/console/">To the namespaces</a>}
      >
        The address names no screen of this console.
      </EmptyState>
    );
  }
  if (denied !== undefined) {
    return (
      <EmptyState
        isPage
        title={`${entry.title} is not for this key`}
        action={entry.name === "namespaces" && <OpenNamespace />}
      >
        {denied}. Enter another key above.
      </EmptyState>
    );
  }
  if (error !== undefined) {
    const message = `This screen has failed: ${(error as Error).message ?? String(error)}`;
    return <ErrorNote fault={{ message }} onRetry={resetError} />;
  }
  if (loaded.kind === "loading") return <Spinner label={`Loading ${entry.title}`} />;
  if (loaded.kind === "failed") {
    const message =
      `${entry.title} could not be loaded: ${loaded.error.message}. If the server was updated, ` +
      "load the page again.";
    return <ErrorNote fault={{ message }} onRetry={() => setTurn(turn + 1)} />;
  }
  const { Screen } = loaded;
  return <Screen />;
}
