/**
 * A text editor for requests: completion from the schema, marks where a fault is. It is a chunk of
 * its own, loaded when it is opened. It lives in a shadow root, since only there its styles go in
 * by the CSSOM, which the page's policy allows; style elements it does not.
 */

import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { completionsAt } from "../query/completions.ts";
import { cursorPlace } from "../query/cursor-place.ts";
import type { RequestSchema } from "../query/request-schema.ts";
import { editorHighlight, editorTheme } from "./editor-theme.ts";
import type { TextFault } from "./query-draft.ts";

/** What the editor has. */
export interface JsonEditorProps {
  readonly label: string;
  /** Also changed from elsewhere; the editor follows at once, so that it never lags behind. */
  readonly text: ReadonlySignal<string>;
  readonly schema: RequestSchema;
  readonly faults: readonly TextFault[];
  readonly onChange: (text: string) => void;
  /** It was asked for by hand. */
  readonly takesFocus: boolean;
  /** Ctrl+Enter. */
  readonly onRun: () => void;
}

/** See the file's head. */
export function JsonEditor(props: JsonEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    let isFollowing = false;
    const extensions = [
      extensionsOf(latest),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !isFollowing) {
          latest.current.onChange(update.state.doc.toString());
        }
      }),
    ];
    const state = EditorState.create({ doc: props.text.peek(), extensions });
    const editor = new EditorView({ state, root, parent: root });
    view.current = editor;
    if (props.takesFocus) editor.focus();
    const unfollow = props.text.subscribe((text) => {
      if (editor.state.doc.toString() === text) return;
      isFollowing = true;
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
      isFollowing = false;
    });
    return () => {
      unfollow();
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(props.faults, editor)));
  }, [props.faults]);
  return <div class="json-editor" ref={host} />;
}

function extensionsOf(props: { readonly current: JsonEditorProps }) {
  const run = () => {
    props.current.onRun();
    return true;
  };
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    bracketMatching(),
    json(),
    syntaxHighlighting(editorHighlight),
    autocompletion({ override: [(context) => complete(context, props.current.schema)] }),
    Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
    // Tab stays the browser's, so that the keyboard leaves the editor as it came.
    keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": props.current.label }),
    editorTheme,
  ];
}

function complete(context: CompletionContext, schema: RequestSchema) {
  const text = context.state.doc.toString();
  const place = cursorPlace(text, context.pos);
  if (place.typed === "" && !context.explicit && text[context.pos - 1] !== '"') return null;
  const options = completionsAt(place, schema).map(({ text: insert, label, detail }) => ({
    label: place.start < context.pos && text[place.start] === '"' ? insert : label,
    displayLabel: label,
    detail,
    apply: insert,
    type: place.role === "name" ? "property" : "constant",
  }));
  if (options.length === 0) return null;
  // The closing quote that stands behind the cursor belongs to the word.
  const isClosed = text[place.start] === '"' && text[context.pos] === '"';
  return { from: place.start, to: isClosed ? context.pos + 1 : context.pos, options, filter: true };
}

function diagnosticsOf(faults: readonly TextFault[], editor: EditorView): Diagnostic[] {
  const { length } = editor.state.doc;
  return faults.flatMap(({ message, place }): Diagnostic[] => {
    if (place === undefined) return [];
    const from = Math.min(place.start, length);
    return [{ from, to: Math.min(Math.max(place.end, from), length), severity: "error", message }];
  });
}
