/**
 * Field management of what is served: which manager wrote which field, entered in the object on every write.
 * It looks at objects in the version of the request, after their defaults and before the rules of
 * the kind; what these reset anyway is named by the rules, so that no manager gets it.
 *
 * In Kubernetes: the FieldManager of a request scope, apiserver/pkg/endpoints/installer.go.
 */
import type { FieldFilter } from '../../../api/managed-fields/field-filter.ts';
import type {
  ConvertedObject,
  ManagedResource,
} from '../../../api/managed-fields/managed-resource.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { writtenKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import { isPrintable } from '../../../api/json/go-escapes.ts';
import {
  convertibleVersions,
  type ServedResource,
} from '../../../api/kinds/resource-definition.ts';
import { doneInSlices, LARGE_BYTES } from '../../request/large-work.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { intoServed, toStorage } from './candidate.ts';

const MANAGER_BYTES_MAX = 128;

/** The writer and what it writes, as far as managing its fields goes. */
export interface ManagedWrite {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly options: { readonly fieldManager: string };
}

/** Puts the entries in the place of those that the object has. */
/** The managers of an object and their fields, as `metadata.managedFields` has them. */
export type ManagedEntries = JsonObject[] | undefined;

/** Puts the entries into the object, in place; undefined: it has none. @returns the object. */
export function withEntries(object: KubeObject, entries: ManagedEntries): KubeObject {
  if (entries === undefined) delete object.metadata['managedFields'];
  else object.metadata['managedFields'] = entries;
  return object;
}

/**
 * By what name a client is known that did not say one: what its user agent begins with.
 *
 * In Kubernetes: managerOrUserAgent, apiserver/pkg/endpoints/handlers/create.go.
 */
export function managerOf({ request, options }: Omit<ManagedWrite, 'served'>): string {
  if (options.fieldManager !== '') return options.fieldManager;
  const agent = request.headers['user-agent'];
  if (agent !== lastAgent) {
    lastManager = managerOfAgent(String(agent ?? ''));
    lastAgent = agent;
  }
  return lastManager;
}

// A writer mostly writes more than once.
let lastAgent: AuthenticatedRequest['headers'][string];
let lastManager = '';

function managerOfAgent(agent: string): string {
  const [product = ''] = agent.split('/', 1);
  if (/^[ -~]{0,128}$/.test(product)) return product;
  let name = '';
  for (const character of product) {
    if (!isPrintable(character)) continue;
    if (Buffer.byteLength(name + character) > MANAGER_BYTES_MAX) break;
    name += character;
  }
  return name;
}

const known = new WeakMap<ServedResource, Map<string, ManagedResource>>();

/** What field management knows of a resource, or of one of its subresources that show it. */
export function managedResource(served: ServedResource, subresource: string): ManagedResource {
  let resources = known.get(served);
  if (resources === undefined) {
    resources = new Map();
    known.set(served, resources);
  }
  let resource = resources.get(subresource);
  if (resource === undefined) {
    resource = describeManaged(served, subresource);
    resources.set(subresource, resource);
  }
  return resource;
}

/** By apiVersion. */
type ManagedVersions = ReadonlyMap<string, ServedResource>;

function describeManaged(served: ServedResource, subresource: string): ManagedResource {
  const { apiVersion, facts } = served;
  const versions = versionsOfGroup(served);
  let empty: JsonObject | undefined;
  return {
    apiVersion,
    kind: facts.kind,
    subresource,
    typed: facts.typeId !== '',
    emptyObject: () => (empty ??= emptyObjectOf(served)),
    mergeTypeOf: (wanted) => versions.get(wanted)?.mergeType(),
    convert: (object, wanted, isLarge) => {
      const sizeBytes = isLarge ? LARGE_BYTES : 0;
      // What was pruned in the version of its manager comes back from there.
      const from = versions.get(writtenKubeObject(object).apiVersion) ?? served;
      return inVersion(from, versions.get(wanted), { object, sizeBytes });
    },
    resetFields: resetFieldsOf(served, subresource, versions),
  };
}

/**
 * Entries that were left through another group are not known, and are dropped, as upstream does. Those that were left
 * through a version of a custom resource that is not served any more are known like all others.
 */
function versionsOfGroup({ definition, facts }: ServedResource): ManagedVersions {
  const siblings = convertibleVersions(definition).filter((one) => one.facts.group === facts.group);
  return new Map(siblings.map((one) => [one.apiVersion, one]));
}

function emptyObjectOf(served: ServedResource): JsonObject {
  const { apiVersion, facts } = served;
  const named = { apiVersion, kind: facts.kind };
  if (facts.typeId === '') return named;
  const decoded = served.codec.decode(named);
  return decoded.ok ? decoded.value : named;
}

function resetFieldsOf(
  { definition }: ServedResource,
  subresource: string,
  versions: ManagedVersions,
): ReadonlyMap<string, FieldFilter> {
  const { strategy } = definition;
  const rules = subresource === '' ? strategy : strategy.subresources.get(subresource);
  const filter = rules?.resetFields;
  if (filter === undefined) return new Map();
  return new Map(Array.from(versions.keys(), (version) => [version, filter] as const));
}

interface ToConvert {
  /** Is not changed. */
  readonly object: JsonObject;
  readonly sizeBytes: number;
}

function inVersion(
  from: ServedResource,
  wanted: ServedResource | undefined,
  { object, sizeBytes }: ToConvert,
): MaybePromise<ConvertedObject> {
  if (wanted === undefined || wanted === from) return { ok: true, object };
  const { custom } = wanted;
  if (custom === undefined) {
    const typed = doneInSlices(sizeBytes, () => from.codec.decode(copyJson(object)));
    return andThen(typed, (read): ConvertedObject => {
      if (!read.ok) return read;
      // What was pruned may lack all that the type requires, and now has it, with nothing in it.
      const own = writtenKubeObject(read.value);
      return { ok: true, object: intoServed(wanted, toStorage(from, own)) };
    });
  }
  // It is one, or what a type makes of nothing, or has lost all its metadata, which a webhook wants to see.
  const isBare = !Object.hasOwn(object, 'metadata');
  const copy = doneInSlices(sizeBytes, () => writtenKubeObject(copyJson(object)));
  const conversion = andThen(copy, (own) => custom.toManaged(isBare ? withMetadata(own) : own));
  return andThen(conversion, (converted): ConvertedObject => {
    if (!converted.ok) return converted;
    const [shown] = converted.objects;
    if (shown === undefined) throw new Error(`a conversion to ${wanted.apiVersion} gave nothing`);
    if (isBare) Reflect.deleteProperty(shown, 'metadata');
    return { ok: true, object: shown };
  });
}

function withMetadata(object: KubeObject): KubeObject {
  object.metadata = {};
  return object;
}
