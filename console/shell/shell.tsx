/** The console's frame: header, the screen that the address names, and what concerns all of them. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { currentRoute } from "../state/route.ts";
import { askAgain, callerState, denial, isServerReached, retryServer } from "../state/session.ts";
import { Announcements } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote, Spinner } from "../ui/notes.tsx";
import { Header } from "./header.tsx";
import { KeyPrompt } from "./key-entry.tsx";
import { ScreenPlace } from "./screen-place.tsx";
import { SCREENS } from "./screen-table.ts";

/** All of the console. */
export function Shell(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const { screen, namespace } = currentRoute.value;
  const entry = SCREENS.find(({ name }) => name === screen);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = [entry?.title ?? "Nothing here", namespace, "Trawl"]
      .filter(Boolean)
      .join(" · ");
    // Who listens is told that another screen is there; the first one is read from its beginning.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [entry, namespace]);
  return (
    <>
      <a class="skip" href="#screen">
        Skip to the screen
      </a>
      <Header />
      {!isServerReached.value && <ServerGone />}
      <main id="screen" ref={main} tabIndex={-1}>
        <Content key={`${screen}/${namespace}`} />
      </main>
      <Announcements />
    </>
  );
}

function Content(): JSX.Element {
  const { screen, namespace } = currentRoute.value;
  const entry = SCREENS.find(({ name }) => name === screen);
  const state = callerState.value;
  if (state.kind === "refused" && state.fault.kind === "unauthorized") {
    return <KeyPrompt reason={state.fault.message} />;
  }
  if (state.kind === "refused" && state.fault.kind !== "gone") {
    return <ErrorNote fault={state.fault} onRetry={askAgain} />;
  }
  if (state.kind === "asking") return <Spinner label="Asking the server" />;
  const denied = entry && denial(entry.action, namespace);
  return <ScreenPlace entry={entry} denied={denied} />;
}

function ServerGone(): JSX.Element {
  return (
    <div class="banner" role="alert">
      <span>The server cannot be reached; it is asked again every two seconds.</span>
      <Button onClick={() => void retryServer()}>Try now</Button>
    </div>
  );
}
