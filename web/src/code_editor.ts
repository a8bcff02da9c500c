/** The editor of code: CodeMirror 6. Nothing but `code_field.ts` imports it, on demand, so that it is a file of its own. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, javascriptLanguage, scopeCompletionSource } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A word that completion offers, with what it means. */
export interface Word {
  readonly word: string;
  readonly means: string;
}

export interface CodeEditor {
  value: string;
  focus(): void;
  select(from: number, to: number): void;
  /** Shows a line, from 1, and goes there. */
  goTo(line: number): void;
}

interface EditorOptions {
  readonly code: string;
  readonly label: string;
  readonly words: readonly Word[];
  /** Called when the visitor has changed the code. */
  readonly onEdit: (() => void) | undefined;
}

const LEAVE_MS = 5000;

/** Colours of the page's palette, so that light and dark are its own. */
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--c3)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--c2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--c1)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--c0)' },
]);

const THEME = EditorView.theme({
  '&': { maxHeight: '420px', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--faint)', backgroundColor: 'var(--shade)', borderRight: '1px solid var(--rule)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--right) 25%, transparent)',
  },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--surface)', border: '1px solid var(--edge)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
});

/** What the sandbox leaves of the world: the language alone. */
const LANGUAGE = scopeCompletionSource({
  Math,
  Number,
  String,
  Array,
  Object,
  JSON,
  Map,
  Set,
  RegExp,
  BigInt,
  parseInt,
  parseFloat,
});

export function openEditor(place: HTMLElement, { code, label, words, onEdit }: EditorOptions): CodeEditor {
  const extensions = [
    // Before the one that closes the list of completions: a user who leaves need not know whether there was one.
    Prec.highest(keymap.of([{ key: 'Escape', run: leavesByTab }])),
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    javascript(),
    javascriptLanguage.data.of({ autocomplete: LANGUAGE }),
    javascriptLanguage.data.of({ autocomplete: sourceOf(words) }),
    syntaxHighlighting(COLOURS),
    THEME,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.updateListener.of(({ docChanged, view }) => {
      if (docChanged && view.hasFocus) onEdit?.();
    }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: code, extensions }), parent: place });
  return {
    get value() {
      return view.state.doc.toString();
    },
    set value(text) {
      if (text !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      }
    },
    focus: () => view.focus(),
    select: (from, to) => view.dispatch({ selection: { anchor: from, head: to } }),
    goTo(number) {
      const line = view.state.doc.line(Math.min(view.state.doc.lines, Math.max(1, number)));
      view.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
      view.focus();
    },
  };
}

/** The next Tab leaves the editor, unless something else is typed or seconds have passed. */
function leavesByTab(view: EditorView): boolean {
  view.setTabFocusMode(LEAVE_MS);
  return false;
}

function sourceOf(words: readonly Word[]): (context: CompletionContext) => CompletionResult | null {
  const options = words.map(
    ({ word, means }): Completion => ({ label: word, detail: means, type: 'variable', boost: 2 }),
  );
  return (context) => {
    const before = context.matchBefore(/[\w.]*/);
    if (before === null || (before.text === '' && !context.explicit)) return null;
    return { from: before.from, options, validFor: /^[\w.]*$/ };
  };
}
