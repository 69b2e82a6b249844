import { useState } from "preact/hooks";

/**
 * What the user types over a value of the address, and how to change it. It begins again from the
 * value whenever that changes: at once, since an effect would overwrite what is typed before it.
 */
export function useDraft<T>(value: T): readonly [draft: T, setDraft: (draft: T) => void] {
  const of = JSON.stringify(value);
  const [typed, setTyped] = useState({ of, draft: value });
  const present = typed.of === of ? typed : { of, draft: value };
  if (present !== typed) setTyped(present);
  return [present.draft, (draft) => setTyped({ of, draft })];
}
