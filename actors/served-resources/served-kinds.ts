/**
 * What is served, asked in the ways in which objects name each other: by kind, as in an owner
 * reference, or by where it is stored; and the versions of custom resources with their schemas, read when
 * they are asked for.
 */
import { items } from '../../api/json/go-values.ts';
import { parsedKind } from '../../projections/objects/stored-kinds.ts';
import type { CustomKind } from '../../projections/openapi/custom-kind.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import {
  DEFINITION_KIND,
  type CustomDefinitions,
  type ReadDefinition,
} from './custom-definitions.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ResourceName, ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ServedResources } from './served-resources.ts';

/** What a definition serves, as OpenAPI documents and expressions tell of it. */
export function customKindsOf(
  custom: CustomDefinitions,
  definition: ReadDefinition,
  moment?: ResourceVersion,
): CustomKind[] {
  const { summary } = definition;
  const { group, names, namespaced, preservesUnknownFields } = summary;
  return summary.versions
    .filter(({ name }) => definition.facts.some(({ version }) => version === name))
    .map(({ name, hasStatus, scale, selectableFields }) => ({
      group,
      version: name,
      plural: names.plural,
      kind: names.kind,
      listKind: names.listKind,
      namespaced,
      hasStatus,
      hasScale: scale !== undefined,
      selectableFields: selectableFields.map((path) => path.replace(/^\./, '')),
      preserveUnknownFields: preservesUnknownFields,
      key: [summary.uid, summary.generation, JSON.stringify(names)].join(' '),
      schema: () => schemaIn(custom, definition, { version: name, moment }),
    }));
}

/** Read when it is asked for: what is remembered of a definition is not its schemas. */
function schemaIn(
  custom: CustomDefinitions,
  definition: ReadDefinition,
  { version, moment }: { readonly version: string; readonly moment: ResourceVersion | undefined },
) {
  const stored = custom.stored(definition, moment);
  if (stored === undefined) return undefined;
  const { versions } = parsedKind(DEFINITION_KIND, stored).spec;
  return items(versions).find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

/** Names of what is served: what is behind a name is made when it is asked for. */
interface Index {
  readonly byKind: Map<string, ResourceName>;
  readonly byStorage: Map<string, ResourceName>;
}

/** The index over both: built-in kinds once, custom ones anew when a definition has changed. */
export class KindsServed {
  readonly #served: ServedResources;
  readonly #builtIn: Index;
  /** Of custom resources, as long as no definition changes. */
  #custom: { readonly of: object; readonly index: Index } | undefined;

  constructor(served: ServedResources) {
    this.#served = served;
    this.#builtIn = indexOf(
      served.facts().filter(isStored),
      (name) => served.lookup(name)?.definition.storage ?? '',
    );
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    const key = kindKey(apiVersion, kind);
    return this.#find(this.#builtIn.byKind.get(key) ?? this.#customIndex()?.byKind.get(key));
  }

  ofStorage(storage: string): ServedResource | undefined {
    const builtIn = this.#builtIn.byStorage.get(storage);
    return this.#find(builtIn ?? this.#customIndex()?.byStorage.get(storage));
  }

  #find(name: ResourceName | undefined): ServedResource | undefined {
    return name === undefined ? undefined : this.#served.lookup(name);
  }

  #customIndex(): Index | undefined {
    const definitions = this.#served.custom?.established();
    if (definitions === undefined) return undefined;
    if (this.#custom?.of !== definitions) {
      const facts = definitions.flatMap((one) => one.facts);
      const index = indexOf(facts, ({ apiGroup, resource }) => `${apiGroup}/${resource}`);
      this.#custom = { of: definitions, index };
    }
    return this.#custom.index;
  }
}

function indexOf(all: readonly ResourceFacts[], storageOf: (name: ResourceName) => string): Index {
  const index: Index = { byKind: new Map(), byStorage: new Map() };
  for (const { group, version, resource, kind } of all) {
    const name = { apiGroup: group, apiVersion: version, resource };
    index.byKind.set(kindKey(group === '' ? version : `${group}/${version}`, kind), name);
    const storage = storageOf(name);
    if (!index.byStorage.has(storage)) index.byStorage.set(storage, name);
  }
  return index;
}

/** What is answered and never stored owns nothing and lies nowhere. */
function isStored({ verbs }: ResourceFacts): boolean {
  return verbs.includes('watch');
}

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
