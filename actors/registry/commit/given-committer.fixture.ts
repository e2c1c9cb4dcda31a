/** For tests of the committer: a log whose appends end as a test says, and messages to send. */
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { testFaults } from '../../request/given.fixture.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { WriteMeters } from '../storage-meters.ts';
import type { Change } from './change.ts';
import { Committer, type Committed, type Reached } from './committer.ts';

export const random = { integer: () => 0, uuid: () => 'this-process' };

export function change(path: string, json = '{}', deadline = 1_000): Change {
  return {
    type: 'added',
    resource: 'core/configmaps',
    path,
    previousResourceVersion: resourceVersion(0),
    requires: [],
    json: Buffer.from(json),
    labels: {},
    uid: '',
    origin: { user: '', verb: 'create', auditID: '', fieldManager: '', deadline },
  };
}

/** A log whose appends end when and how the test says. */
export function givenLog({
  appendsUnderWay,
  ...given
}: { readonly meters?: WriteMeters; readonly appendsUnderWay?: number } = {}) {
  const batches: ProposedEvent[][] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const append: EventLog['append'] = (events) => {
    batches.push([...events]);
    return new Promise((resolve, reject) => {
      ends.push({
        resolve: () => {
          resolve(resourceVersion(1));
        },
        reject,
      });
    });
  };
  const clock = new ManualClock();
  const committer = new Committer({
    log: { append, ...(appendsUnderWay !== undefined && { appendsUnderWay }) },
    clock,
    random,
    faults: testFaults(),
    ...given,
  });
  return { committer, clock, batches, ends };
}

export function propose(committer: Committer, wanted: Change, reply: Committed): void {
  committer.send({ type: 'proposed', change: wanted, reply });
}

export function askMoment(committer: Committer, reply: Reached): void {
  committer.send({ type: 'momentAsked', reply });
}

/** The fold has met the event, and it did not take effect. */
export function apply(committer: Committer, event: LoggedEvent): void {
  committer.send({ type: 'applied', event, committed: undefined });
}

/** Lets everything run that waits for nothing but its turn. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

export function logged(event: ProposedEvent | undefined, version: number): LoggedEvent {
  if (event === undefined) throw new Error('nothing was appended');
  return { ...event, resourceVersion: resourceVersion(version) };
}
