/** Code to read and to copy. */

import type { JSX } from "preact";
import { announce } from "./announce.tsx";
import { Button } from "./button.tsx";

/** A block of code with a button that copies it; `label` says what it is. */
export function CodeBlock(props: { readonly label: string; readonly code: string }): JSX.Element {
  const { label, code } = props;
  const copy = () => {
    // Pages that came without TLS, from another machine, have no clipboard.
    const copied = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error("none"));
    copied.then(
      () => announce(`${label} copied`),
      () => announce("The browser does not let this page copy; select the text instead"),
    );
  };
  return (
    <div class="code-block">
      <Button look="quiet" label={`Copy ${label}`} onClick={copy}>
        Copy
      </Button>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
