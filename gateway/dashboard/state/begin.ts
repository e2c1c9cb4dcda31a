/** Logs in and out: what the page has to know before it shows anything, and what it forgets. */
import { batch, effect } from '@preact/signals';
import { debounceTime, merge, type Subscription } from 'rxjs';
import { dialog, said } from '../parts/dialog-state.ts';
import { discover } from './discovery.ts';
import { ApiProblem, problemText } from './http.ts';
import { beginLive, endLive, watchLive } from './live.ts';
import { namespaceShown, pageLocation } from './page-location.ts';
import { learnRights } from './rights.ts';
import { askForUser } from './self-review.ts';
import { awaited, exchangeCode, farewell, keepToken, token, user } from './session.ts';

/** Takes the code of the address, the token of this tab or the client certificate, whichever is there. */
export async function begin(): Promise<void> {
  await exchangeCode();
  await enter();
}

/** Asks the server for the user of a token, and keeps the token where there is one. */
export async function logIn(text: string): Promise<void> {
  keepToken(text.trim().replace(/^Bearer\s/i, ''));
  farewell.value = '';
  await enter();
}

/** Forgets the token. */
export function logOut(): void {
  keepToken('');
  farewell.value = '';
  forgetUser();
  user.value = '';
}

/** Nothing that was open is for the eyes of the next one. */
function forgetUser(): void {
  awaited.value = '';
  dialog.value = undefined;
  said.value = '';
}

async function enter(): Promise<void> {
  const hasToken = token.value !== '';
  try {
    const name = await askForUser();
    batch(() => {
      if (name !== awaited.value) forgetUser();
      user.value = name;
    });
  } catch (error) {
    const isRefused = error instanceof ApiProblem && (error.code === 401 || error.code === 403);
    if (hasToken || !isRefused) {
      farewell.value = isRefused ? 'The server does not know this token.' : problemText(error);
    }
    keepToken('');
    user.value = '';
  }
}

let shown = '';
effect(() => {
  const name = user.value ?? '';
  if (name === '') {
    if (shown !== '') endLive();
    following?.unsubscribe();
    shown = '';
    return;
  }
  const { fork, at } = pageLocation.value;
  const of = JSON.stringify([name, fork, at]);
  if (shown === '') beginLive();
  if (of !== shown) followKinds(fork);
  shown = of;
  learn(name, namespaceShown.value);
});

/** Where each change may bring a kind, or take one away. */
const DEFINED_BY = [
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/apiregistration.k8s.io/v1/apiservices',
];
const SETTLING_MS = 200;
let following: Subscription | undefined;

/** Asks for the kinds now, and whenever the user may see that there are others. */
function followKinds(fork: string): void {
  following?.unsubscribe();
  const ask = (): void => void discover().catch(() => undefined);
  ask();
  const prefix = fork === '' ? '' : `/forks/${encodeURIComponent(fork)}`;
  const changes = DEFINED_BY.map((path) => watchLive(`${prefix}${path}`));
  following = merge(...changes)
    .pipe(debounceTime(SETTLING_MS))
    .subscribe(ask);
}

let learnt = '';
function learn(name: string, namespace: string): void {
  const of = `${name} ${namespace}`;
  if (of === learnt) return;
  learnt = of;
  void learnRights(namespace);
}
