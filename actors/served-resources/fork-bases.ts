/**
 * Where the forks begin: the part of the past that must not be cut while they exist, because they
 * read it.
 */
import { FORK_STORAGE } from '../../api/everwatch/fork-facts.ts';
import { type StoredKind, storedKind } from '../../projections/objects/stored-kinds.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { pathOf, type StoredObject } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

/** What a stored Fork says. */
export interface Fork {
  /** By which paths name it: `/forks/<name>`. */
  readonly name: string;
  /** By it, and not by its name, what belongs to it is kept: another one of that name is another. */
  readonly uid: string;
  /** The version of its parent that it stands on; its own versions follow that. */
  readonly base: ResourceVersion;
}

/** It stands in the names of folders and topics, and another program may have written it. */
export const FORK_UID = /^[0-9A-Za-z][-0-9A-Za-z]{0,99}$/;

const FORKS = 'dev.everwatch/v1alpha1/forks';
const readFork = storedKind(FORKS);

export class ForkBases {
  readonly #objects: Pick<ObjectView, 'get' | 'of'>;
  /** Stored objects never change, so each is read once. */
  readonly #read = new WeakMap<StoredObject, Fork | undefined>();
  readonly #held = new Map<symbol, ResourceVersion>();

  /** @param objects of the control plane that has the forks. */
  constructor(objects: Pick<ObjectView, 'get' | 'of'>) {
    this.#objects = objects;
  }

  find(name: string): Fork | undefined {
    const stored = this.#objects.get(FORK_STORAGE, pathOf('', name));
    return stored === undefined ? undefined : this.#forkOf(stored);
  }

  all(): Fork[] {
    return [...this.#objects.of(FORK_STORAGE).inOrder('')].flatMap((stored) => {
      return this.#forkOf(stored) ?? [];
    });
  }

  /** Everything from this version on must stay readable; undefined: no fork needs anything. */
  keepFrom(): ResourceVersion | undefined {
    const bases = [...this.all().map(({ base }) => base), ...this.#held.values()];
    return bases.length === 0 ? undefined : resourceVersion(Math.min(...bases));
  }

  /** For a fork that is being made and is not among the objects yet. @returns ends it. */
  hold(base: ResourceVersion): () => void {
    const key = Symbol();
    this.#held.set(key, base);
    return () => this.#held.delete(key);
  }

  #forkOf(stored: StoredObject): Fork | undefined {
    if (this.#read.has(stored)) return this.#read.get(stored);
    const fork = forkOf(readFork(stored));
    this.#read.set(stored, fork);
    return fork;
  }
}

/** undefined: another program wrote it, and it says nothing that a fork could begin at. */
function forkOf({ metadata, spec }: StoredKind<typeof FORKS>): Fork | undefined {
  const { name = '', uid = '' } = metadata;
  const revision = Number(spec.revision ?? '');
  if (!Number.isSafeInteger(revision) || revision < 1 || !FORK_UID.test(uid)) return undefined;
  return { name, uid, base: resourceVersion(revision) };
}
