/** Keys that work wherever the focus is, but in fields of text and where a dialog is open. */
import { dialog } from './dialog-state.ts';
import { go } from '../state/page-location.ts';
import { user } from '../state/session.ts';
import { stepThroughMarks } from '../time/marks.ts';
import { backToNow, togglePlay } from '../time/moves.ts';

/** What a key does, for the help. */
interface KeyAction {
  readonly key: string;
  readonly what: string;
  readonly act: () => void;
}

/** On the first that there is. */
export function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** In the order of the help. */
export const KEYS: readonly KeyAction[] = [
  { key: 'k', what: 'find a kind; Enter goes to it', act: () => focusOn('#kind-search') },
  { key: '/', what: 'filter the table', act: () => focusOn('#row-filter') },
  {
    key: 'j',
    what: 'go into the table; arrow keys move, Enter opens',
    act: () => focusOn('.grid tbody a'),
  },
  { key: 'o', what: 'overview', act: () => go({ view: { name: 'overview' }, query: {} }) },
  { key: 'f', what: 'forks', act: () => go({ view: { name: 'forks' }, query: {} }) },
  { key: 't', what: 'the time slider; arrow keys move it', act: () => focusOn('#time') },
  { key: 'm', what: 'choose whose changes are marked', act: () => focusOn('#marks') },
  { key: '[', what: 'the change before', act: () => stepThroughMarks(-1) },
  { key: ']', what: 'the change after', act: () => stepThroughMarks(1) },
  { key: 'p', what: 'let time run, or stop it', act: togglePlay },
  { key: 'n', what: 'back to now', act: backToNow },
  { key: '?', what: 'these keys', act: () => (dialog.value = { kind: 'help' }) },
];

/** Listens on the document. */
export function handleKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.value !== undefined) return;
  if (user.value === '') return;
  if (isText(event.composedPath()[0])) {
    if (event.key === 'Escape') (document.activeElement as HTMLElement | null)?.blur();
    return;
  }
  const found = KEYS.find(({ key }) => key === event.key);
  if (found === undefined) return;
  event.preventDefault();
  found.act();
}

function isText(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'range', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}
