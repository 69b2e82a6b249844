/** A way to a namespace for keys that cannot list them: by its name. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patternStart } from "../../src/model/namespace-pattern.ts";
import { nameFault, unreachableReason } from "../api/reachable-name.ts";
import { navigate, routePath } from "../state/route.ts";
import { callerState } from "../state/session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { UnreachableName } from "../ui/unreachable-name.tsx";

/** Links to the namespaces that the key names, and a field for the others. */
export function OpenNamespace(): JSX.Element {
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  const state = callerState.value;
  const patterns = state.kind === "known" ? state.caller.namespaces : [];
  const named = patterns.filter((pattern) => patternStart(pattern) === undefined);
  const open = (event: Event) => {
    event.preventDefault();
    const fault = name === "" ? "Give its name" : nameFault(name);
    if (fault === undefined) navigate(routePath("documents", name));
    else setError(fault);
  };
  return (
    <>
      {named.length > 0 && (
        <ul class="named-namespaces">
          {named.map((each) => (
            <li key={each}>
              {unreachableReason(each) === undefined ? (
                <a href={routePath("documents", each)}>{each}</a>
              ) : (
                <UnreachableName name={each} />
              )}
            </li>
          ))}
        </ul>
      )}
      <form class="bar" onSubmit={open}>
        <TextField
          label="Open a namespace by its name"
          value={name}
          onInput={setName}
          // All of them is no example of a name.
          placeholder={patterns.find((pattern) => pattern !== "*") ?? ""}
          error={error}
        />
        <Button type="submit">Open</Button>
      </form>
    </>
  );
}
