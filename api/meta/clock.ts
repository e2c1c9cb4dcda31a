/**
 * Time and chance, handed in at the root, so that a run can be repeated from one seed.
 * Nothing but the root's own implementation calls `Date.now`, `Math.random` or `setTimeout`.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls back once after `delayMs`; the function returned takes it back. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Where chance comes from; tests hand in a seeded one. */
export interface Random {
  /** At least 0, less than `below`; a whole number. */
  integer(below: number): number;
  /** A version 4 UUID. */
  uuid(): string;
}

/** RFC 3339 in UTC with whole seconds, as Kubernetes writes metav1.Time: `2026-11-21T09:00:00Z`. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

// Most times that are written are those of one moment.
let lastSecond = 0;
let lastText = '1970-01-01T00:00:00Z';
