/**
 * Which class is the default one, where classes say of themselves that they are: the newest, and
 * of those that are equally new the first by name. Kept up to date by the fold.
 *
 * In Kubernetes: GetDefaultClass of storage classes and of ingress classes.
 */
import type { ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { remembered } from '../remembered.ts';

interface Candidate {
  readonly name: string;
  /** RFC 3339, so that the later one is the greater one. */
  readonly createdAt: string;
}

/** @returns the name of the default class of the resource as it is now; undefined: there is none. */
export function followDefaultClass(
  { followed }: Pick<AdmissionWorld, 'followed'>,
  path: 'networking.k8s.io/v1/ingressclasses' | 'storage.k8s.io/v1/storageclasses',
  isDefault: (metadata: ObjectMeta) => boolean,
): () => string | undefined {
  const candidateOf = remembered(path, ({ metadata }): Candidate | undefined => {
    const { name = '', creationTimestamp } = metadata;
    return isDefault(metadata) ? { name, createdAt: creationTimestamp ?? '' } : undefined;
  });
  const defaults = new Map<string, Candidate>();
  const index = followed.follow(path.replace('/v1', ''), {
    set(stored) {
      const candidate = candidateOf(stored);
      if (candidate === undefined) defaults.delete(stored.path);
      else defaults.set(stored.path, candidate);
    },
    delete: (path) => void defaults.delete(path),
    clear: () => {
      defaults.clear();
    },
  });
  return () => {
    index.fill();
    let found: Candidate | undefined;
    for (const one of defaults.values()) {
      if (found === undefined || comesBefore(one, found)) found = one;
    }
    return found?.name;
  };
}

function comesBefore(one: Candidate, other: Candidate): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt;
  return one.name < other.name;
}
