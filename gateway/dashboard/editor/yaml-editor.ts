/**
 * CodeMirror for YAML, and for two texts beside each other; loaded when it is first needed. It lies in a
 * shadow root, where its styles are sheets of the browser: the policy of the page allows no others.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting, indentUnit } from '@codemirror/language';
import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** What is on the page, to be taken away. */
export interface MountedEditor {
  /** As it is edited. */
  readonly text: () => string;
  /** Takes it off the page. */
  readonly remove: () => void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--strong)' },
  { tag: tags.comment, color: 'var(--dim)' },
  { tag: tags.punctuation, color: 'var(--dim)' },
]);

const THEME = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    height: '100%',
    fontSize: '12.5px',
  },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--dim)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--selected) !important',
  },
  '.cm-collapsedLines': { background: 'var(--ground)', color: 'var(--dim)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--gone)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--come)' },
});

const BOTH: Extension = [
  lineNumbers(),
  yaml(),
  syntaxHighlighting(COLOURS),
  THEME,
  indentUnit.of('  '),
];
const READ_ONLY: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(true)];

/** What can be edited takes the focus anyway; checks of pages that scroll look for the attribute. */
function label(text: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': text, tabindex: '0' });
}

/** An editor of the text in `host`; Tab leaves it, as it does any field. */
export function mountEditor(
  host: HTMLElement,
  text: string,
  onChange: (text: string) => void,
): MountedEditor {
  const root = shadowOf(host);
  const told = EditorView.updateListener.of((update) => {
    if (update.docChanged) onChange(update.state.doc.toString());
  });
  const extensions = [
    BOTH,
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    label('YAML'),
    told,
  ];
  const view = new EditorView({
    state: EditorState.create({ doc: text, extensions }),
    parent: root,
    root,
  });
  return {
    text: () => view.state.doc.toString(),
    remove: () => {
      view.destroy();
    },
  };
}

/** Both texts, what differs marked, what is alike folded. */
export function mountDiff(host: HTMLElement, before: string, after: string): MountedEditor {
  const root = shadowOf(host);
  const view = new MergeView({
    a: { doc: before, extensions: [BOTH, READ_ONLY, label('Before')] },
    b: { doc: after, extensions: [BOTH, READ_ONLY, label('After')] },
    parent: root,
    root,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
  return {
    text: () => view.b.state.doc.toString(),
    remove: () => {
      view.destroy();
    },
  };
}

function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  return root;
}
