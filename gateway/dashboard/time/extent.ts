/** From when to when the log of the main control plane reaches, for users that may know. */
import { signal } from '@preact/signals';
import { askJson } from '../state/http.ts';
import { isServerReadOnly } from '../state/rights.ts';

/** What the log is a copy of: docs/replay.md has the members of a gap. */
interface LogOrigin {
  readonly kind: 'recording' | 'archive' | 'trace';
  readonly of: string;
  readonly gaps?: readonly { readonly time: string }[];
}

interface Extent {
  /** Milliseconds since 1970; undefined while the log is empty. */
  readonly oldestTime?: number;
  /** The newest version when it was asked for. */
  readonly newest: number;
  /** undefined: it is the log of the cluster itself. */
  readonly origin?: LogOrigin;
}

interface StatusBody {
  readonly log: Extent;
  readonly readOnly?: true;
  readonly origin?: LogOrigin;
}

/** undefined: not known, or not for this user. */
export const extent = signal<Extent | undefined>(undefined);

/** Asks the server. */
export async function learnExtent(): Promise<void> {
  try {
    const { log, readOnly, origin } = await askJson<StatusBody>('/everwatch/v1/status', {
      prefix: '',
    });
    isServerReadOnly.value = readOnly === true;
    extent.value = origin === undefined ? log : { ...log, origin };
  } catch {
    extent.value = undefined;
  }
}
