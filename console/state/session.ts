/**
 * The server and the key that the console works with. The key is kept for the browser's session
 * alone, in no address and in no other store.
 */

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { systemClock } from "../../src/base/clock.ts";
import { ApiClient } from "../api/api-client.ts";
import { type ApiFault, faultOf } from "../api/api-fault.ts";
import { type Caller, type CallerAction, denialOf, readCaller } from "../api/caller.ts";

const KEY = "trawl-api-key";
/** How often a server that is gone is asked whether it is back. */
const RETRY_MS = 2000;

const storedKey = signal<string | undefined>(readStored());
const reached = signal(true);
const returned = signal(0);
const asked = signal<CallerState>({ kind: "asking" });

/** What is known of who the console works for. */
export type CallerState =
  | { readonly kind: "asking" }
  | { readonly kind: "known"; readonly caller: Caller }
  | { readonly kind: "refused"; readonly fault: ApiFault };

/** The key; undefined: none was entered. */
export const sessionKey: ReadonlySignal<string | undefined> = storedKey;

/** Whether the server answered the last request. */
export const isServerReached: ReadonlySignal<boolean> = reached;

/** Rises each time a server is back that was gone: what failed is to be asked for again. */
export const serverReturns: ReadonlySignal<number> = returned;

/** Who the key is of. */
export const callerState: ReadonlySignal<CallerState> = asked;

/** The client for all requests, a new one for each key. */
export const client = computed(
  () =>
    new ApiClient({
      baseUrl: "",
      key: storedKey.value,
      fetch: (url, init) => fetch(url, init),
      onReach: noteReach,
    }),
);

/** Takes a key for the session; undefined or empty forgets the one that there is. */
export function setSessionKey(key: string | undefined): void {
  const text = key?.trim() || undefined;
  try {
    if (text === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // It holds until the page is left.
  }
  storedKey.value = text;
}

/** Why the key may not do something; undefined: it may, or that is not known yet. */
export function denial(action: CallerAction, namespace?: string): string | undefined {
  const state = asked.value;
  return state.kind === "known" ? denialOf(state.caller, action, namespace) : undefined;
}

/** Asks who the key is of, at the start and whenever that may have changed. */
export function followCaller(): void {
  let askedWith: ApiClient | undefined;
  effect(() => {
    const api = client.value;
    returned.value;
    const ended = new AbortController();
    // What is known of the same key stays meanwhile, so that no screen loses its state.
    if (api !== askedWith) asked.value = { kind: "asking" };
    askedWith = api;
    readCaller(api, ended.signal).then(
      (caller) => {
        if (!ended.signal.aborted) asked.value = { kind: "known", caller };
      },
      (error: unknown) => {
        const fault = faultOf(error);
        if (fault && !ended.signal.aborted) asked.value = { kind: "refused", fault };
      },
    );
    return () => ended.abort();
  });
}

/** Asks anew who the key is of, and for all that is shown. */
export function askAgain(): void {
  returned.value++;
}

/** Asks the server whether it is there. */
export async function retryServer(): Promise<void> {
  // What it answers does not matter; that it does is noted.
  await client.peek().send({ method: "GET", path: "/healthz" }).catch(faultOf);
}

function noteReach(isReached: boolean): void {
  if (isReached === reached.peek()) return;
  reached.value = isReached;
  if (isReached) returned.value++;
  else void keepRetrying();
}

async function keepRetrying(): Promise<void> {
  while (!reached.peek()) {
    await systemClock.sleep(RETRY_MS);
    if (!reached.peek()) await retryServer();
  }
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
