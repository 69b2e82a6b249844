/** A namespace that is there and that the console cannot open. */

import type { JSX } from "preact";
import { unreachableReason } from "../api/reachable-name.ts";
import { Chip } from "./chip.tsx";

/** Its name without a link, with the reason. */
export function UnreachableName({ name }: { readonly name: string }): JSX.Element {
  const reason = unreachableReason(name) ?? "";
  return (
    <>
      {name}{" "}
      <Chip tone="warn" title={reason}>
        cannot be opened here
        <span class="visually-hidden">: {reason}</span>
      </Chip>
    </>
  );
}
