/** A batch of changes on its way into the log. */
import type { EventLog } from '../../../streams/event-log.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import type { Pending } from './unanswered-changes.ts';

/** The batch, and what is known of it. */
export interface Append {
  readonly batch: readonly Pending[];
  /** Milliseconds since 1970: when a log that is away for a moment counts as unavailable. */
  readonly giveUpAt: number;
  /** Whether a copy may lie in the log. Stays so if a later copy is refused: the first may be there. */
  mayBeThere: boolean;
  /** Why the last attempt failed; undefined: it is under way. */
  failure: Error | undefined;
}

/** A message of the committer to itself. */
export type AppendOutcome =
  /** The log has the batch, from this version on. */
  | { readonly type: 'appended'; readonly append: Append; readonly first: ResourceVersion }
  | { readonly type: 'appendFailed'; readonly append: Append; readonly error: unknown };

/** What an attempt to append comes to, as the message that says so. */
export async function outcomeOf(
  log: Pick<EventLog, 'append'>,
  append: Append,
): Promise<AppendOutcome> {
  try {
    const first = await log.append(append.batch.map(({ event }) => event));
    return { type: 'appended', append, first };
  } catch (error) {
    return { type: 'appendFailed', append, error };
  }
}
