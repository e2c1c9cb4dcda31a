/**
 * The custom resources of one control plane, as its CustomResourceDefinitions say now, or said at a
 * moment. Nothing is kept up to date here: a question for a resource asks for the object that
 * defines it, and what was read of that object is remembered with it. So a definition serves from
 * the moment on at which its object says so.
 *
 * In Kubernetes: crdHandler, apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { ResourceName, ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { parsedKind } from '../../projections/objects/stored-kinds.ts';
import { ObjectsAt } from '../../projections/past/objects-at.ts';
import type { ResourcePast } from '../../projections/list/list-page.ts';
import type { StoredObject } from '../../streams/event.ts';
import { pathOf } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { CompiledDefinitions } from '../../api/kinds/custom/compiled-definitions.ts';
import { shownFacts } from '../../api/kinds/custom/custom-facts.ts';
import { customResource } from './custom-resource.ts';
import { definitionHead } from './definition-head.ts';
import {
  summaryOf,
  type DefinitionSummary,
  type VersionSummary,
} from '../../api/kinds/custom/definition-summary.ts';

/** Where definitions lie in the log. */
export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
/** Their kind, by the version that is stored. */
export const DEFINITION_KIND = 'apiextensions.k8s.io/v1/customresourcedefinitions';

export interface CustomDefinitionsParts {
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  readonly pastOf: (resource: string) => ResourcePast;
  readonly compiled: CompiledDefinitions;
  /** Where the objects of built-in resources lie, which no definition may claim. */
  readonly reserved: ReadonlySet<string>;
  /** Versions of groups that are built in, as `apps/v1`, which no definition adds to. */
  readonly reservedVersions: ReadonlySet<string>;
}

/** A definition, as it was read once. */
export interface ReadDefinition {
  /** What it says without its schemas. */
  readonly summary: DefinitionSummary;
  /** Since which version of the log its spec has been what it is, as far as is known. */
  readonly since: number;
  /** What is served of it, by version; made when it is asked for. */
  readonly resources: Map<string, ServedResource>;
  /** As discovery shows it; none where the resource is built in, whichever versions the definition has. */
  readonly facts: readonly ResourceFacts[];
}

/** So many moments are remembered. */
const MOMENTS_MAX = 8;

interface Spec {
  readonly uid: string;
  readonly generation: number;
  readonly since: number;
}

export class CustomDefinitions {
  readonly #parts: CustomDefinitionsParts;
  readonly #read = new WeakMap<StoredObject, ReadDefinition>();
  /** By name, since when the newest spec that was read has stood. */
  readonly #specs = new Map<string, Spec>();
  readonly #moments = new BoundedMap<ResourceVersion, readonly ReadDefinition[]>(MOMENTS_MAX);
  #now:
    | { readonly changedAt: ResourceVersion; readonly all: readonly ReadDefinition[] }
    | undefined;

  constructor(parts: CustomDefinitionsParts) {
    this.#parts = parts;
  }

  /** @param moment applied, and with a history that has settled since; undefined: now. */
  lookup(
    { apiGroup, apiVersion, resource }: ResourceName,
    moment: ResourceVersion | undefined,
  ): ServedResource | undefined {
    if (apiGroup === '' || resource === '') return undefined;
    const stored = this.#objectsAt(moment).get(DEFINITIONS, pathOf('', `${resource}.${apiGroup}`));
    if (stored === undefined) return undefined;
    const definition = this.#definitionIn(stored, moment);
    if (!definition.summary.isServed) return undefined;
    return this.#resourceOf(definition, stored, apiVersion);
  }

  /** Those that discovery shows, in the order of their names; the same list while none changes. */
  established(moment?: ResourceVersion): readonly ReadDefinition[] {
    const { changedAt } = this.#parts.objects.of(DEFINITIONS);
    if (moment === undefined || changedAt <= moment) return this.#establishedNow(changedAt);
    const known = this.#moments.get(moment);
    if (known !== undefined) return known;
    const all = [...this.#storedAt(moment)]
      .map((stored) => this.#definitionIn(stored, moment))
      .filter(isShown);
    this.#moments.set(moment, all);
    return all;
  }

  /** The definition whole, for a description of its schemas; undefined: they have changed meanwhile. */
  stored({ summary }: ReadDefinition, moment?: ResourceVersion): StoredObject | undefined {
    const found = this.#objectsAt(moment).get(DEFINITIONS, pathOf('', summary.name));
    if (found === undefined) return undefined;
    const { uid, generation } = this.#definitionIn(found, moment).summary;
    return uid === summary.uid && generation === summary.generation ? found : undefined;
  }

  /** What is known of the definition that lies there now. */
  current(name: string): DefinitionSummary | undefined {
    const stored = this.#parts.objects.get(DEFINITIONS, pathOf('', name));
    return stored === undefined ? undefined : this.#definitionIn(stored, undefined).summary;
  }

  /** What a definition that is no longer there, or no longer now, said. */
  summaryOf(stored: StoredObject): DefinitionSummary {
    return this.#read.get(stored)?.summary ?? summaryIn(stored);
  }

  #establishedNow(changedAt: ResourceVersion): readonly ReadDefinition[] {
    if (this.#now?.changedAt === changedAt) return this.#now.all;
    const stored = [...this.#parts.objects.of(DEFINITIONS).inOrder('')];
    const all = stored.map((one) => this.#definitionIn(one, undefined)).filter(isShown);
    this.#now = { changedAt, all };
    return all;
  }

  *#storedAt(moment: ResourceVersion): Generator<StoredObject> {
    const objects = this.#objectsAt(moment);
    const { history } = this.#parts.pastOf(DEFINITIONS);
    for (const { path } of history.pathsAt(DEFINITIONS, { prefix: '', from: '' }, moment)) {
      const stored = objects.get(DEFINITIONS, path);
      if (stored !== undefined) yield stored;
    }
  }

  #objectsAt(moment: ResourceVersion | undefined): Pick<ObjectView, 'get'> {
    if (moment === undefined) return this.#parts.objects;
    return new ObjectsAt(this.#parts.pastOf, moment);
  }

  #definitionIn(stored: StoredObject, moment: ResourceVersion | undefined): ReadDefinition {
    const known = this.#read.get(stored);
    if (known !== undefined) return known;
    const summary = summaryIn(stored);
    const definition: ReadDefinition = {
      summary,
      since: moment === undefined ? this.#since(summary) : summary.resourceVersion,
      resources: new Map(),
      facts: this.#parts.reserved.has(storageOf(summary))
        ? []
        : summary.versions
            .filter((version) => version.isServed && !this.#isTaken(summary, version))
            .map((version) => shownFacts(summary, version)),
    };
    this.#read.set(stored, definition);
    return definition;
  }

  /** A definition whose status changes has the spec that it had. */
  #since({ name, uid, generation, resourceVersion }: DefinitionSummary): number {
    const known = this.#specs.get(name);
    const isSame = known?.uid === uid && known.generation === generation;
    const since = isSame ? known.since : resourceVersion;
    if (!isSame) this.#specs.set(name, { uid, generation, since });
    return since;
  }

  /** undefined: there is no such version, or it is not served. */
  #resourceOf(
    definition: ReadDefinition,
    stored: StoredObject,
    name: string,
  ): ServedResource | undefined {
    const { summary } = definition;
    const version = summary.versions.find((one) => one.name === name);
    if (version === undefined || !this.#isAnswered(summary, version)) return undefined;
    return this.#resourceIn(definition, stored, version);
  }

  /** One version, served or not. */
  #resourceIn(
    definition: ReadDefinition,
    stored: StoredObject,
    version: VersionSummary,
  ): ServedResource | undefined {
    const known = definition.resources.get(version.name);
    if (known !== undefined) return known;
    const { summary, since } = definition;
    const storage = storageOf(summary);
    if (this.#parts.reserved.has(storage)) return undefined;
    const key = `${summary.uid}/${String(summary.generation)}/${String(since)}`;
    const those = (isWanted: (one: VersionSummary) => boolean): ServedResource[] =>
      summary.versions
        .filter(isWanted)
        .flatMap((one) => this.#resourceIn(definition, stored, one) ?? []);
    const resource = customResource({
      summary,
      version,
      storage,
      since,
      current: () => this.current(summary.name),
      compiled: () => this.#parts.compiled.of(key, () => parsedKind(DEFINITION_KIND, stored)),
      versions: () => those((one) => this.#isAnswered(summary, one)),
      unserved: () => those((one) => !this.#isAnswered(summary, one)),
    });
    definition.resources.set(version.name, resource);
    return resource;
  }

  /** Whether the group has that version without the definition, which then says what is in there. */
  #isTaken({ group }: DefinitionSummary, { name }: VersionSummary): boolean {
    return this.#parts.reservedVersions.has(`${group}/${name}`);
  }

  /**
   * A definition that serves no version and is being deleted answers in the version that is stored, as
   * there must be a way for its objects to go. Discovery does not show it.
   */
  #isAnswered(summary: DefinitionSummary, version: VersionSummary): boolean {
    const { isTerminating, versions } = summary;
    const { isServed, isStorage } = version;
    const isForItsEnd = isTerminating && isStorage;
    if (this.#isTaken(summary, version)) return isForItsEnd;
    return isServed || (isForItsEnd && !versions.some((one) => one.isServed));
  }
}

function storageOf({ group, names }: DefinitionSummary): string {
  return `${group}/${names.plural}`;
}

function summaryIn(stored: StoredObject): DefinitionSummary {
  return summaryOf(definitionHead(stored), stored.resourceVersion);
}

function isShown({ summary }: ReadDefinition): boolean {
  return summary.isEstablished;
}
