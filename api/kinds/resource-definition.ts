/**
 * One value that says all about a resource. Routing, discovery, OpenAPI, tables and
 * `kubectl api-resources` are folds over these values; no actor knows a kind by name.
 */
import type { MergeType } from '../merge/merge-type.ts';
import type { JsonObject } from '../json/json.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import type { CustomServing } from './custom-serving.ts';
import type { ResourceFacts } from '../scheme/resource-facts.ts';
import type { Strategy } from './strategy.ts';
import type { TypedCodec } from '../scheme/typed-json.ts';

/** What a field selector may ask of a kind, beyond metadata.name and metadata.namespace. */
export type FieldsOf = (object: JsonObject) => Readonly<Record<string, string>>;

/** How one served version differs from the version that is stored. */
export interface VersionConversion {
  /** Both may change and return the object they are given. */
  toStorage(object: KubeObject): KubeObject;
  /** The object in the served version. The one that is given may be changed. */
  fromStorage(object: KubeObject): KubeObject;
}

/** A resource as one group version serves it. */
export interface ServedResource {
  /** Names, verbs and types in this group version. */
  readonly facts: ResourceFacts;
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The same for each version that is served of it. */
  readonly definition: ResourceDefinition;
  /** Reads what clients send as objects of this version: by its type, or by its schema. */
  readonly codec: TypedCodec;
  /** Which parts of its objects are managed one by one, and how configurations of them merge. */
  readonly mergeType: () => MergeType;
  /** undefined: this is the version that is stored. */
  readonly conversion: VersionConversion | undefined;
  /** Fills in what a client of this version may leave out; in this version's own form. */
  readonly setDefaults: ((object: JsonObject) => void) | undefined;
  /** What field selectors may ask for; undefined: the name and the namespace alone. */
  readonly fields: FieldsOf | undefined;
  /** The fields that {@link fields} gives, known before there is an object. */
  readonly selectableFields: readonly string[];
  /** What every request for it is warned of; undefined: it is not deprecated. */
  readonly deprecation?: string | undefined;
  /** Of custom resources alone. */
  readonly custom?: CustomServing | undefined;
}

/** A resource as it is stored, whichever group versions serve it. */
export interface ResourceDefinition {
  /** Where its objects lie in the log: `core/configmaps`. */
  readonly storage: string;
  /** False for cluster scope. */
  readonly namespaced: boolean;
  readonly strategy: Strategy;
  /** The version its objects are stored in, which may not be served under every group. */
  readonly storageFacts: ResourceFacts;
  /** Brings objects of the version that is stored into the one form in which they are stored. */
  readonly codec: TypedCodec;
  /** All that show its objects, whatever their group. */
  readonly versions: () => readonly ServedResource[];
  /** Versions that no request can name, to which objects can be converted; undefined: there are none. */
  readonly unserved?: () => readonly ServedResource[];
}

/** All versions that an object may have been written in, and entries of field managers are of. */
export function convertibleVersions(definition: ResourceDefinition): readonly ServedResource[] {
  return [...definition.versions(), ...(definition.unserved?.() ?? [])];
}

/** What of a request says which resource it is for. */
export interface ResourceName {
  /** '' is the group of the core. */
  readonly apiGroup: string;
  /** Without the group: `v1`. */
  readonly apiVersion: string;
  /** The plural. */
  readonly resource: string;
}
