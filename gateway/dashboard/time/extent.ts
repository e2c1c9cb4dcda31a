/** From when to when the log of the main control plane reaches, for users that may know. */
import { signal } from '@preact/signals';
import { askJson } from '../state/http.ts';

interface Extent {
  /** Milliseconds since 1970; undefined while the log is empty. */
  readonly oldestTime?: number;
  /** The newest version when it was asked for. */
  readonly newest: number;
}

/** undefined: not known, or not for this user. */
export const extent = signal<Extent | undefined>(undefined);

/** Asks the server. */
export async function learnExtent(): Promise<void> {
  try {
    const { log } = await askJson<{ readonly log: Extent }>('/everwatch/v1/status', { prefix: '' });
    extent.value = log;
  } catch {
    extent.value = undefined;
  }
}
