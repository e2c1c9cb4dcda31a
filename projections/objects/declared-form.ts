/**
 * Stored objects of built-in kinds in the form that their type declares by now. A build with older
 * facts, an archive or another program may have written an object that lacks a struct that its type
 * has, and typed code reads such a struct without asking.
 *
 * kube-apiserver decodes and defaults everything that it reads from etcd. Here an object is only
 * decoded where it lacks something: most pay a look at what their type always has, and the defaults.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { remembered } from '../../api/json/work-in-slices.ts';
import { defaultersByType } from '../../api/kinds/built-in-defaults.ts';
import { inDeclaredShape } from '../../api/scheme/declared-shape.ts';
import { allResourceFacts } from '../../api/scheme/resource-facts.ts';

interface StoredType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly typeId: string;
}

/**
 * The object in the form of its type, which is the value itself where it lacks no struct; it may be
 * changed. Custom resources, and what does not say that it is of a type that is stored there, are
 * given back as they are.
 *
 * @param resource as stored objects name it: `core/pods`.
 */
export function declaredForm(resource: string, value: JsonObject): JsonObject {
  const { apiVersion, kind } = value;
  const type = typesOf(resource).find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (type === undefined) return value;
  const object = remembered(() => inDeclaredShape(type.typeId, value));
  defaultersByType.get(type.typeId)?.(object);
  return object;
}

/** Whether objects of the resource, as stored objects name it, have a type. */
export function isDeclared(resource: string): boolean {
  return typesOf(resource) !== NONE;
}

const NONE: readonly StoredType[] = [];
let types: ReadonlyMap<string, readonly StoredType[]> | undefined;

function typesOf(resource: string): readonly StoredType[] {
  types ??= storedTypes();
  return types.get(resource) ?? NONE;
}

function storedTypes(): ReadonlyMap<string, readonly StoredType[]> {
  const byResource = new Map<string, StoredType[]>();
  for (const { group, version, resource, kind, typeId, ...facts } of allResourceFacts()) {
    if (facts.storageVersionHash === undefined) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const storage = `${group === '' ? 'core' : group}/${resource}`;
    const others = byResource.get(storage) ?? [];
    byResource.set(storage, [...others, { apiVersion, kind, typeId }]);
  }
  return byResource;
}
