/** What just happened, shown for a while and read out. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { systemClock } from "../../src/base/clock.ts";

/** How long a message stays. */
const SHOWN_MS = 6000;

const message = signal<{ readonly text: string } | undefined>(undefined);

/** Says that something was done; what went wrong belongs where it was asked for. */
export function announce(text: string): void {
  const said = { text };
  message.value = said;
  void systemClock.sleep(SHOWN_MS).then(() => {
    if (message.peek() === said) message.value = undefined;
  });
}

/** Where messages appear; once in the page. */
export function Announcements(): JSX.Element {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {message.value !== undefined && <div class="announcement">{message.value.text}</div>}
    </div>
  );
}
