/**
 * When something changed: the marks on the slider, of the object, the namespace or the kind that is shown,
 * or of a user. They are asked for as far as the user may know them; without them the slider moves as well.
 */
import { computed, signal } from '@preact/signals';
import { moment } from '../state/clock.ts';
import { go, pageLocation } from '../state/page-location.ts';

/** One change. */
export interface Mark {
  /** The resourceVersion that it made. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Whose request it was. */
  readonly user: string;
  /** `alice patch deployments.apps shop/web`. */
  readonly text: string;
}

/** The newest ones, oldest first. */
export const marks = signal<readonly Mark[]>([]);

/** Of the object that is shown, its version of now: with a new one its marks are asked for again. */
export const revisionShown = signal('');

/** Where the page is among them: undefined is now. */
const here = computed(() => {
  const { at } = pageLocation.value;
  if (at === '') return undefined;
  const revision = Number(moment.value?.revision ?? '');
  return /^\d+$/.test(at) ? Number(at) : revision;
});

/** To the change before or after this moment; behind the last one is now. */
export function stepThroughMarks(direction: -1 | 1): void {
  const target = neighbour(marks.value, here.value, direction);
  if (target === 'none') return;
  go({ at: target === 'now' ? '' : String(target) });
}

/** A revision, `now`, or `none` where there is nothing in that direction. */
export function neighbour(
  all: readonly Mark[],
  at: number | undefined,
  direction: -1 | 1,
): number | 'now' | 'none' {
  const revisions = all.map(({ revision }) => revision);
  if (direction === -1) {
    // Now shows what the newest change has made: before it is the one before.
    const from = at ?? revisions.at(-1) ?? 0;
    return revisions.findLast((one) => one < from) ?? 'none';
  }
  if (at === undefined) return 'none';
  return revisions.find((one) => one > at) ?? 'now';
}
