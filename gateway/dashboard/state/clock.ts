/** The time that ages are counted to: the clock of now, or of the moment that is shown. */
import { computed, signal } from '@preact/signals';
import { interval } from 'rxjs';

/** The moment that the server has moved the page to. */
export interface Moment {
  /** A resourceVersion; '' where nothing has moved yet. */
  readonly revision: string;
  /** Milliseconds since 1970; NaN where the server does not know any more, as of a version that was cut from its log. */
  readonly timeMs: number;
}

/** undefined: the page shows now. */
export const moment = signal<Moment | undefined>(undefined);

const now = signal(currentMs());
const TICK_MS = 5_000;
interval(TICK_MS).subscribe(() => {
  now.value = currentMs();
});

/** Of this machine, in milliseconds since 1970. */
export function currentMs(): number {
  return new Date().getTime();
}

/** What ages are counted to, in milliseconds since 1970. */
export const shownMs = computed(() => moment.value?.timeMs ?? now.value);
