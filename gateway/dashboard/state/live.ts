/** The one socket of the page, and how views take what comes over it. */
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  bufferTime,
  catchError,
  defaultIfEmpty,
  EMPTY,
  filter,
  scan,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { connect, type ConnectionState, type LiveClient, LiveError } from '../../client/browser.ts';
import { moment } from './clock.ts';
import { textOfProblem } from './cut.ts';
import { go, pageLocation } from './page-location.ts';
import { askForUser } from './self-review.ts';
import { awaited, leave, token, user } from './session.ts';

/** How the socket is; undefined before the login. */
export const connection = signal<ConnectionState | undefined>(undefined);

/** How many seconds of then pass in one of now; 0: time stands. */
export const speed = signal(0);

/** Why the last move through time did not happen; '' when it did. */
export const timeProblem = signal('');

/** Rises with each move that has come to its end, and each connection that begins where the page is. */
const moves = signal(0);

const UNAUTHORIZED = 401;

let client: LiveClient | undefined;
/** Another one for each socket, as behind a token that ran out. */
const opening = signal(0);

/** Opens the socket for the user that has logged in. */
export function beginLive(): void {
  client?.close();
  const opened = connect(globalThis.location.origin, { token: () => token.value });
  client = opened;
  opening.value += 1;
  sought = '';
  opened.connection.state$.subscribe((state) => {
    if (client !== opened) return;
    connection.value = state;
    if (state.kind === 'open') moves.value += 1;
    if (state.kind === 'closed' && state.error?.code === UNAUTHORIZED) {
      leave('The server does not take this token any more. Enter another one.');
    }
    // A browser does not tell why a socket was refused; a request with the same token does, and leaves.
    if (state.kind === 'waiting') askForUser().catch(() => undefined);
  });
  opened.connection.moved$.subscribe(({ at, revision = '', time = '' }) => {
    timeProblem.value = '';
    if (at === undefined) arriveNow();
    else moment.value = { revision, timeMs: timeOf(at, time) };
    moves.value += 1;
  });
  opened.connection.problem$.subscribe(({ message }) => {
    timeProblem.value = message;
  });
  followPageLocation();
}

/** @param time '' where the server does not tell. */
function timeOf(asked: string, time: string): number {
  if (time !== '') return Date.parse(time);
  return /^\d+$/.test(asked) ? Number.NaN : Date.parse(asked);
}

/** Time that ran has come to now. */
function arriveNow(): void {
  moment.value = undefined;
  if (speed.value === 0) return;
  sought = '';
  speed.value = 0;
  go({ at: '' }, 'replace');
}

/** Closes the socket, as when the user leaves. */
export function endLive(): void {
  const ended = client;
  client = undefined;
  ended?.close();
  connection.value = undefined;
}

const at = computed(() => pageLocation.value.at);
/** What the socket was told last; '' is now. */
let sought = '';

/** The location says which moment is shown; while time runs, the server does. */
function followPageLocation(): void {
  const wanted = at.value === '' ? '' : `${at.value} ${String(speed.value)}`;
  if (client === undefined || wanted === sought) return;
  sought = wanted;
  if (at.value === '') moment.value = undefined;
  client.seek(at.value === '' ? {} : { at: at.value, speed: speed.value });
}

effect(followPageLocation);

/** What comes of a subscription: the newest of it, or why there is nothing more. */
export interface Taken<Value> {
  /** undefined until the first has come. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why it has ended. */
  readonly problem: ReadonlySignal<string>;
}

/**
 * Subscribes while the component is shown, anew when `key` changes or the user does. While a token has run out,
 * what has come stays.
 *
 * @param source undefined: there is nothing to ask for.
 */
export function useLive<Value>(
  key: string,
  source: ((live: LiveClient) => Observable<Value>) | undefined,
): Taken<Value> {
  // Others for another key, so that what came of the one before is not shown under the new one.
  const { value, problem } = useMemo(
    () => ({ value: signal<Value | undefined>(undefined), problem: signal('') }),
    [key, source !== undefined, user.value || awaited.value],
  );
  const asked = useRef(source);
  asked.current = source;
  useEffect(() => {
    if (asked.current === undefined || client === undefined) return undefined;
    let end: () => void = () => undefined;
    function begin(): void {
      if (asked.current === undefined || client === undefined) return;
      problem.value = '';
      const subscription = asked.current(client).subscribe({
        next: (next) => {
          value.value = next;
        },
        error: (error: unknown) => {
          const code = error instanceof LiveError ? error.code : undefined;
          if (code === UNAUTHORIZED) return;
          const message = error instanceof Error ? error.message : String(error);
          // What was seen before is of another moment, or not for this user any more.
          value.value = undefined;
          problem.value = textOfProblem(code, message);
          end = onceElsewhere(begin);
        },
      });
      end = () => {
        subscription.unsubscribe();
      };
    }
    begin();
    return () => {
      end();
    };
  }, [value, opening.value]);
  return { value, problem };
}

/** What has failed at this moment may be there at another one, once the page has moved there. @returns waits no longer. */
function onceElsewhere(then: () => void): () => void {
  const failedAt = at.peek();
  let left: number | undefined;
  let isOver = false;
  const end = effect(() => {
    if (at.value === failedAt) {
      left = undefined;
      return;
    }
    left ??= moves.value;
    if (moves.value === left || isOver) return;
    isOver = true;
    untracked(then);
  });
  return () => {
    isOver = true;
    end();
  };
}

/** The fork in front of a path; the moment is the socket's. */
export function livePath(path: string): string {
  const { fork } = pageLocation.value;
  return fork === '' ? path : `/forks/${encodeURIComponent(fork)}${path}`;
}

/** Each change of a collection; nothing where the user may not see it. */
export function watchLive(path: string): Observable<unknown> {
  return client === undefined ? EMPTY : client.watch(path).pipe(catchError(() => EMPTY));
}

const GATHER_MS = 50;

/** What has come of a stream of lines, the last ones of it, as a new list some times a second. */
export function gathered<Line>(most: number): OperatorFunction<Line, readonly Line[]> {
  return (lines) =>
    lines.pipe(
      bufferTime(GATHER_MS),
      filter((several) => several.length > 0),
      scan((all: readonly Line[], more) => [...all, ...more].slice(-most), []),
      defaultIfEmpty([]),
    );
}
