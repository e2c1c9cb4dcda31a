/**
 * How far a recording has come, beside its log:
 *
 *     <dir>/record-state.json   which cluster, and the last resourceVersion of every resource
 *     <dir>/record-gaps.jsonl   every time at which something may have been missed, one a line
 *
 * The log itself is the truth. The state only knows more where nothing happened: that a resource
 * was listed whole, and how far its watch has come since the last event.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../process/startup-error.ts';

/** How far a resource is recorded. */
export interface ResourcePlace {
  /** The cluster's: watching goes on from here. */
  readonly resourceVersion: string;
  /** The last version in our log that says something of this resource, when this was written. */
  readonly recorded: number;
}

/** The cluster that is recorded into a directory. */
export interface RecordedCluster {
  readonly server: string;
  /** Of the namespace kube-system, which a cluster has from its first day; '' when it is not told. */
  readonly uid: string;
  /** The last version in our log when this cluster was first met: all before is of another. */
  readonly since: number;
}

/** A time of which we know the ends and not all that happened in between. */
export interface RecordGap {
  /** RFC 3339: when the gap was closed. */
  readonly time: string;
  /** As the log names it: `apps/deployments`. */
  readonly resource: string;
  /** A sentence for people. */
  readonly reason: string;
  /** The cluster's resourceVersion up to which everything is known; '' when there is none. */
  readonly knownTo: string;
  /** That from which on everything is known again. */
  readonly knownFrom: string;
  /** The last version in our log at the end of the gap. */
  readonly version: number;
  /** Objects that are there since. */
  readonly added: number;
  /** Objects that are not as they were. */
  readonly modified: number;
  /** Objects that are gone since. */
  readonly deleted: number;
}

interface SavedState {
  readonly format: number;
  readonly cluster: RecordedCluster;
  readonly resources: Readonly<Record<string, ResourcePlace>>;
}

const FORMAT = 1;

/** Reads the state of a recording once, and writes it when it is saved. */
export class RecordPlace {
  readonly #path: string;
  readonly #gapsPath: string;
  readonly #places: Map<string, ResourcePlace>;
  #cluster: RecordedCluster | undefined;
  #saving: Promise<void> = Promise.resolve();

  /** @throws StartupError what is there is not ours. */
  constructor(dataDir: string) {
    this.#path = join(dataDir, 'record-state.json');
    this.#gapsPath = join(dataDir, 'record-gaps.jsonl');
    const saved = readState(this.#path);
    this.#cluster = saved?.cluster;
    this.#places = new Map(Object.entries(saved?.resources ?? {}));
  }

  /** undefined: nothing was recorded yet. */
  get cluster(): RecordedCluster | undefined {
    return this.#cluster;
  }

  /** From now on it is this one: where the others were is of no use any more. */
  setCluster(cluster: RecordedCluster): void {
    this.#cluster = cluster;
    this.#places.clear();
  }

  of(resource: string): ResourcePlace | undefined {
    return this.#places.get(resource);
  }

  move(resource: string, place: ResourcePlace): void {
    this.#places.set(resource, place);
  }

  forget(resource: string): void {
    this.#places.delete(resource);
  }

  /** Resolves when everything up to this call is in the file, which is there whole or as before. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  /** Durable when it returns. */
  addGap(gap: RecordGap): void {
    const file = openSync(this.#gapsPath, 'a', 0o600);
    try {
      writeSync(file, `${JSON.stringify(gap)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  async #write(): Promise<void> {
    const cluster = this.#cluster ?? { server: '', uid: '', since: 0 };
    const resources = Object.fromEntries([...this.#places].sort(([a], [b]) => (a < b ? -1 : 1)));
    const state: SavedState = { format: FORMAT, cluster, resources };
    const text = `${JSON.stringify(state, undefined, 2)}\n`;
    await writeFile(`${this.#path}.new`, text, { mode: 0o600, flush: true });
    await rename(`${this.#path}.new`, this.#path);
  }
}

function readState(path: string): SavedState | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    // It is ours and was written whole; anything else is refused by its format.
    const state = JSON.parse(text) as SavedState;
    if (state.format === FORMAT) return state;
  } catch {
    // It is told below.
  }
  throw new StartupError(`${path} was not written by this version of the program`);
}
