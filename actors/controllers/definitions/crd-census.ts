/**
 * What the controllers remember of all custom resource definitions: names, and not one byte of a
 * schema. It is told of every definition as it changes, in the order of the log.
 */
import { items } from '../../../api/json/go-values.ts';
import type { CustomResourceDefinition } from '../../../api/generated/kinds/apiextensions-v1.ts';
import { hasCondition } from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { acceptedIn, type TakenNames } from './crd-names.ts';

interface Entry {
  readonly group: string;
  readonly resources: readonly string[];
  readonly kinds: readonly string[];
  readonly served: readonly string[];
  readonly generation: number;
  /** It wants a name that it has not got. */
  readonly isWaiting: boolean;
}

/** How many definitions say so, by what they say. */
type Tally = Map<string, number>;

interface Group {
  readonly resources: Tally;
  readonly kinds: Tally;
  readonly served: Tally;
  readonly waiting: Set<string>;
}

/** What a change of one definition means for others. */
export interface CensusChange {
  readonly group: string;
  /** Versions of the group that are served now and were not, or the other way round. */
  readonly versions: readonly string[];
  /** Another definition may have a name now. */
  readonly isNameFreed: boolean;
}

export class CrdCensus {
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new Map<string, Group>();

  /** @param definition as it is stored, or as it is about to be. */
  note(name: string, definition: CustomResourceDefinition): CensusChange {
    const { group, versions } = definition.spec;
    const named = items(versions).filter((version) => version.served);
    const served = [...new Set(named.map((version) => version.name))];
    const generation = Number(definition.metadata.generation ?? 0);
    const isWaiting = !hasCondition(definition, 'NamesAccepted');
    return this.#replace(name, { group, ...acceptedIn(definition), served, generation, isWaiting });
  }

  /** The definition is gone. */
  forget(name: string): CensusChange {
    return this.#replace(name, undefined);
  }

  /** Undefined: it is not known. */
  generationOf(name: string): number | undefined {
    return this.#entries.get(name)?.generation;
  }

  takenIn(group: string): TakenNames {
    const tallies = this.#groups.get(group);
    return {
      hasResource: (name) => tallies?.resources.has(name) === true,
      hasKind: (name) => tallies?.kinds.has(name) === true,
    };
  }

  /** Those that would like to have a name that others of the group have. */
  waitingIn(group: string): readonly string[] {
    return [...(this.#groups.get(group)?.waiting ?? [])];
  }

  isServed(group: string, version: string): boolean {
    return this.#groups.get(group)?.served.has(version) === true;
  }

  #replace(name: string, next: Entry | undefined): CensusChange {
    const before = this.#entries.get(name);
    // The group of a definition never changes: it is a part of its name.
    const group = next?.group ?? before?.group ?? '';
    const tallies = this.#groupOf(group);
    const mentioned = new Set([...(before?.served ?? []), ...(next?.served ?? [])]);
    const wasServed = new Set([...mentioned].filter((version) => tallies.served.has(version)));
    this.#count(tallies, name, { before, next });
    const isChanged = (version: string): boolean =>
      wasServed.has(version) !== tallies.served.has(version);
    const isNameFreed =
      before?.resources.some((one) => !tallies.resources.has(one)) === true ||
      before?.kinds.some((one) => !tallies.kinds.has(one)) === true;
    if (isEmpty(tallies)) this.#groups.delete(group);
    return { group, versions: [...mentioned].filter(isChanged), isNameFreed };
  }

  #count(
    tallies: Group,
    name: string,
    { before, next }: { readonly before: Entry | undefined; readonly next: Entry | undefined },
  ): void {
    tallies.waiting.delete(name);
    for (const key of ['resources', 'kinds', 'served'] as const) {
      for (const one of before?.[key] ?? []) count(tallies[key], one, -1);
      for (const one of next?.[key] ?? []) count(tallies[key], one, 1);
    }
    if (next === undefined) this.#entries.delete(name);
    else this.#entries.set(name, next);
    if (next?.isWaiting === true) tallies.waiting.add(name);
  }

  #groupOf(group: string): Group {
    let tallies = this.#groups.get(group);
    if (tallies === undefined) {
      tallies = { resources: new Map(), kinds: new Map(), served: new Map(), waiting: new Set() };
      this.#groups.set(group, tallies);
    }
    return tallies;
  }
}

function isEmpty({ resources, kinds, served, waiting }: Group): boolean {
  return resources.size + kinds.size + served.size + waiting.size === 0;
}

function count(tally: Tally, name: string, by: number): void {
  const total = (tally.get(name) ?? 0) + by;
  if (total > 0) tally.set(name, total);
  else tally.delete(name);
}
