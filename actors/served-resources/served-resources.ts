/**
 * Every resource that is served, found by group, version and plural. There is no router.
 *
 * The built-in ones are always the same. What CustomResourceDefinitions serve is asked for when it
 * is needed, now or as of a moment; where both have the same name, the built-in one is meant.
 */
import { FORK_STORAGE } from '../../api/everwatch/fork-facts.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ResourceName, ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { CustomDefinitions } from './custom-definitions.ts';

export class ServedResources {
  readonly #byName: ReadonlyMap<string, ServedResource>;
  /** undefined: nothing but what is built in, as where there is no control plane. */
  readonly custom: CustomDefinitions | undefined;

  constructor(served: readonly ServedResource[], custom?: CustomDefinitions) {
    this.#byName = new Map(
      served.map((one) => [nameOf(one.facts.group, one.facts.version, one.facts.resource), one]),
    );
    this.custom = custom;
  }

  /** The same built-in resources, and what these definitions serve. */
  with(custom: CustomDefinitions): ServedResources {
    return new ServedResources([...this.#byName.values()], custom);
  }

  /** @param moment applied, and with a history that has settled since; undefined: now. */
  lookup(name: ResourceName, moment?: ResourceVersion): ServedResource | undefined {
    const builtIn = this.#byName.get(nameOf(name.apiGroup, name.apiVersion, name.resource));
    return builtIn ?? this.custom?.lookup(name, moment);
  }

  /** Whether it is one of those that are always there. */
  isBuiltIn({ apiGroup, apiVersion, resource }: ResourceName): boolean {
    return this.#byName.has(nameOf(apiGroup, apiVersion, resource));
  }

  /** Whether definitions serve the version of the group now. */
  isCustom(group: string, version: string): boolean {
    const definitions = this.custom?.established() ?? [];
    return definitions.some(({ facts }) =>
      facts.some((one) => one.group === group && one.version === version),
    );
  }

  has(group: string, version: string, resource: string, subresource = ''): boolean {
    const served = this.lookup({ apiGroup: group, apiVersion: version, resource });
    if (served === undefined || subresource === '') return served !== undefined;
    return served.facts.subresources.some(({ name }) => name === subresource);
  }

  /** All built-in ones, in each version. */
  builtIn(): Iterable<ServedResource> {
    return this.#byName.values();
  }

  /** Of the built-in ones, in the order in which discovery names them. */
  facts(): ResourceFacts[] {
    return [...this.#byName.values()].map((one) => one.facts);
  }

  /** The versions of groups in which there is a built-in one, as `apps/v1`. */
  versions(): ReadonlySet<string> {
    return new Set([...this.#byName.values()].map(({ apiVersion }) => apiVersion));
  }

  /** Where the objects of the built-in ones lie, and forks, which are not served everywhere. */
  storages(): ReadonlySet<string> {
    const storages = [...this.#byName.values()].map(({ definition }) => definition.storage);
    return new Set([...storages, FORK_STORAGE]);
  }
}

function nameOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
