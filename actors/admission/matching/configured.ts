/**
 * What objects of one resource configure, compiled and in the order of their names, and the step of a
 * plug-in that is about it; where nothing is configured about a place, the step costs next to nothing.
 *
 * It is compiled when it is first asked for after a change, so that the fold does not wait for it.
 */
import { compareGoStrings } from '../../../api/json/go-format.ts';
import type { FollowedIndex, FollowedObjects } from '../../../projections/followed-objects.ts';
import {
  storageOf,
  storedKind,
  type StoredKind,
  type StoredKindPath,
} from '../../../projections/objects/stored-kinds.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionStep } from '../admission-plugin.ts';

interface Entry<Value> {
  readonly stored: StoredObject;
  compiled: Value | undefined;
}

export class Configured<Value extends object, Path extends StoredKindPath> {
  readonly #compile: (stored: StoredObject) => Value;
  readonly #followed: FollowedIndex;
  readonly #entries = new Map<string, Entry<Value>>();
  #all: readonly Value[] | undefined;
  #generation = 0;

  constructor(followed: FollowedObjects, kind: Path, compile: (object: StoredKind<Path>) => Value) {
    const read = storedKind(kind);
    this.#compile = (stored) => compile(read(stored));
    this.#followed = followed.follow(storageOf(kind), {
      set: (stored) => {
        this.#entries.set(stored.path, { stored, compiled: undefined });
        this.#changed();
      },
      delete: (path) => {
        this.#entries.delete(path);
        this.#changed();
      },
      clear: () => {
        this.#entries.clear();
        this.#changed();
      },
    });
  }

  /** Another number after each change. */
  get generation(): number {
    this.#followed.fill();
    return this.#generation;
  }

  get all(): readonly Value[] {
    this.#followed.fill();
    this.#all ??= this.#compiled();
    return this.#all;
  }

  #changed(): void {
    this.#all = undefined;
    this.#generation += 1;
  }

  #compiled(): readonly Value[] {
    return [...this.#entries.entries()]
      .sort(([one], [other]) => compareGoStrings(one, other))
      .map(([, entry]) => (entry.compiled ??= this.#compile(entry.stored)));
  }
}

/** Makes something of what is configured, again only after that has changed. */
export function whenChanged<Made>(
  configured: readonly { readonly generation: number }[],
  make: () => Made,
): () => Made {
  let known: { readonly made: Made; readonly generations: readonly number[] } | undefined;
  return () => {
    const isSame = known?.generations.every((one, at) => one === configured[at]?.generation);
    if (known === undefined || isSame !== true) {
      // The numbers first: what is compiled on the way must not change them.
      const generations = configured.map(({ generation }) => generation);
      known = { generations, made: make() };
    }
    return known.made;
  };
}

/** Asks what is configured about the place of this request; a Status is the refusal. */
export type AskConfigured<Placed> = (
  attributes: AdmissionAttributes,
  placed: readonly Placed[],
) => MaybePromise<Status | undefined>;

/**
 * A step that asks `ask`, and does nothing at all while there is nothing configured about its
 * place.
 */
export function configuredStep<Placed>(
  placedNow: () => readonly Placed[],
  ask: AskConfigured<Placed>,
): AdmissionStep {
  return (attributes) => {
    const placed = placedNow();
    return placed.length === 0 ? undefined : ask(attributes, placed);
  };
}
