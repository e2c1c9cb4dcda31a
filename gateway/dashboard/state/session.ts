/**
 * As which user the page asks. A token lives in this tab alone (sessionStorage) and never stands in an
 * address; without one the browser may show a client certificate. The page that `everwatch dashboard`
 * serves exchanges the code of its address for the key of the proxy, once.
 */
import { signal } from '@preact/signals';

const KEY = 'everwatch.token';

/** The bearer token; '' for none. */
export const token = signal(globalThis.sessionStorage.getItem(KEY) ?? '');

/** undefined: not known yet; '' is no user: the page asks for a token. */
export const user = signal<string | undefined>(undefined);

/**
 * The user whose token has run out; '' while no token has. The page keeps what this user has open, unseen, until the same
 * user logs in or another one does.
 */
export const awaited = signal('');

/** Why the page asks for a token once more; '' at the beginning. */
export const farewell = signal('');

/** Keeps the token of this tab; '' forgets it. */
export function keepToken(text: string): void {
  token.value = text;
  if (text === '') globalThis.sessionStorage.removeItem(KEY);
  else globalThis.sessionStorage.setItem(KEY, text);
}

/** Forgets the token, and says why. What the user has written stays. */
export function leave(why: string): void {
  awaited.value ||= user.value ?? '';
  keepToken('');
  farewell.value = why;
  user.value = '';
}

/** What a request needs, as headers. */
export function credentials(): Record<string, string> {
  return token.value === '' ? {} : { Authorization: `Bearer ${token.value}` };
}

const CODE = /^#code=([\w-]{20,})$/;

/** Takes the code out of the address, before anything else, and asks the proxy for its key. */
export async function exchangeCode(): Promise<void> {
  const code = CODE.exec(globalThis.location.hash)?.[1];
  if (code === undefined) return;
  globalThis.history.replaceState(null, '', '#/overview');
  const answer = await fetch('/everwatch/session', { method: 'POST', body: code });
  if (answer.ok) keepToken(await answer.text());
  else farewell.value = 'This address was used before. Take the one that the command printed last.';
}
