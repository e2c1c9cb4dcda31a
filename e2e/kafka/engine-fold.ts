/** The least that commits through a log: the real committer and arbiter, and a map of versions. */
import { randomUUID } from 'node:crypto';
import { Committer, type Commit } from '../../actors/registry/commit/committer.ts';
import { Arbiter } from '../../projections/fold/arbiter.ts';
import { VersionTable } from '../../projections/fold/live-versions.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { isChange, type CommittedEvent, type LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';

const RESOURCE = 'core/configmaps';
const DEADLINE_MS = 180_000;

export class EngineFold {
  /** The paths of the objects that were made, in the order of the log. */
  readonly made: string[] = [];
  /** Copies that the fold did not count. */
  duplicates = 0;
  /** Why reading ended, if it did. */
  failure: unknown;
  readonly #versions = new VersionTable();
  readonly #arbiter = new Arbiter(new Map(), this.#versions);
  readonly #committer: Committer;
  readonly #stopping = new AbortController();
  readonly #reading: Promise<void>;

  constructor(log: EventLog) {
    this.#committer = new Committer({
      log,
      clock: {
        now: () => Date.now(),
        after(delayMs, callback) {
          const timer = setTimeout(callback, delayMs);
          return () => {
            clearTimeout(timer);
          };
        },
      },
      random: { integer: () => 0, uuid: () => randomUUID() },
      faults: {
        record: (_doing, error) => {
          this.failure ??= error;
        },
      },
    });
    this.#reading = this.#read(log).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Makes the object; resolves when the fold has met it, or it is given up. */
  create(name: string): Promise<Commit> {
    return new Promise((resolve) => {
      this.#committer.commit(
        {
          type: 'added',
          resource: RESOURCE,
          path: `default/${name}`,
          previousResourceVersion: resourceVersion(0),
          requires: [],
          json: Buffer.from(JSON.stringify({ metadata: { name, namespace: 'default' } })),
          labels: {},
          uid: name,
          origin: {
            user: 'jane',
            verb: 'create',
            auditID: name,
            fieldManager: 'test',
            deadline: Date.now() + DEADLINE_MS,
          },
        },
        resolve,
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reading;
  }

  async #read(log: EventLog): Promise<void> {
    for await (const batch of log.read(resourceVersion(1), this.#stopping.signal)) {
      for (const event of batch) this.#fold(event);
    }
  }

  #fold(event: LoggedEvent): void {
    const verdict = this.#arbiter.judge(event);
    if (verdict === 'duplicate') this.duplicates += 1;
    const committed = verdict === 'effective' ? committedOf(event) : undefined;
    if (committed !== undefined) {
      this.#versions.note(event);
      this.made.push(event.path.slice(event.path.indexOf('/') + 1));
    }
    this.#committer.folded(event, verdict, committed);
  }
}

function committedOf(event: LoggedEvent): CommittedEvent | undefined {
  if (!isChange(event)) return undefined;
  const { resourceVersion: version, type, resource, path } = event;
  const json = Buffer.from(event.json);
  const object = { resource, path, resourceVersion: version, labels: undefined, json };
  return { resourceVersion: version, type, resource, path, object, previous: undefined };
}
