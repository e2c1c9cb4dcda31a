/** Every resource that is served, found by group, version and plural. There is no router. */
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';

/** What of a request says which resource it is for. */
export interface ResourceName {
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
}

export class ServedResources {
  readonly #byName: ReadonlyMap<string, ServedResource>;

  constructor(served: readonly ServedResource[]) {
    this.#byName = new Map(
      served.map((one) => [nameOf(one.facts.group, one.facts.version, one.facts.resource), one]),
    );
  }

  lookup({ apiGroup, apiVersion, resource }: ResourceName): ServedResource | undefined {
    return this.#byName.get(nameOf(apiGroup, apiVersion, resource));
  }

  has(group: string, version: string, resource: string, subresource = ''): boolean {
    const served = this.#byName.get(nameOf(group, version, resource));
    if (served === undefined || subresource === '') return served !== undefined;
    return served.facts.subresources.some(({ name }) => name === subresource);
  }

  /** In the order in which discovery names them. */
  facts(): ResourceFacts[] {
    return [...this.#byName.values()].map((one) => one.facts);
  }
}

function nameOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
