/** The editor's colours: those of the console, which a shadow root inherits. */

import { defaultHighlightStyle, HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";

/** Everything but the text. */
export const editorTheme = EditorView.theme({
  "&": {
    backgroundColor: "var(--ground)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    color: "var(--text)",
    fontSize: "var(--size-small)",
    maxHeight: "50vh",
  },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "1.5", minHeight: "120px" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--ground-2)",
    borderRight: "1px solid var(--line)",
    color: "var(--text-2)",
  },
  ".cm-selectionBackground": { backgroundColor: "var(--ground-3)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--ground-3)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--ground)",
    border: "1px solid var(--line-strong)",
    color: "var(--text)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-matchingBracket": { backgroundColor: "var(--ground-3)", color: "inherit" },
});

/** Colour of strings in the editor's own style. */
const STRING_COLOR = "#a11";

/** The text: what the editor's own style tells apart, in colours of the console. */
export const editorHighlight = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => ({
    tag: spec.tag,
    color: spec.color === STRING_COLOR ? "var(--accent-text)" : "var(--warn)",
  })),
);
