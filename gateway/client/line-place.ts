/**
 * Where a subscription to lines goes on behind a lost connection. Lines have no `from` beside the path, as objects
 * have: the log and the changes take it in their query, and there it is the first that is shown.
 */
import type { NextMessage } from '../../api/live/live-messages.ts';

const LINES = /^(?:\/forks\/[^/]+)?(?:\/at\/[^/]+)?\/everwatch\/v1\/(\w+)/;
/** Whose lines are told by version, each once. */
const IN_ORDER: readonly string[] = ['log', 'changes'];

interface LinePlace {
  /** What to ask for now. */
  query(): string;
  /** Takes a frame. @returns whether that is all that was asked for. */
  hasEndedWith(frame: NextMessage): boolean;
}

/** undefined: the path is one of objects. */
export function linesBehind(path: string, search: string): LinePlace | undefined {
  const name = LINES.exec(path)?.[1];
  if (name === undefined) return undefined;
  const asked = new URLSearchParams(search);
  const limit = Number(asked.get('limit') ?? Infinity);
  // A moment that is a time is not compared: the server says when that is over.
  const last = Number(asked.get('to') ?? Infinity);
  let heard = 0;
  return {
    query: () => (heard === 0 ? search : asked.toString()),
    hasEndedWith: ({ revision, events }) => {
      if (!IN_ORDER.includes(name) || path.endsWith('/state')) return false;
      heard += events.length;
      asked.set('from', String(Number(revision) + 1));
      if (limit !== Infinity) asked.set('limit', String(limit - heard));
      return heard >= limit || Number(revision) >= last;
    },
  };
}
