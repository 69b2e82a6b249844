import { useState } from "preact/hooks";

/**
 * Returns the edited text of a value from the address, and the function that changes the text. A
 * changed value resets the text during rendering: an effect would run later, and would overwrite
 * keystrokes made before it.
 */
export function useDraft<T>(value: T): readonly [draft: T, setDraft: (draft: T) => void] {
  const source = JSON.stringify(value);
  const [typed, setTyped] = useState({ source, draft: value });
  const present = typed.source === source ? typed : { source, draft: value };
  if (present !== typed) setTyped(present);
  return [present.draft, (draft) => setTyped({ source, draft })];
}
