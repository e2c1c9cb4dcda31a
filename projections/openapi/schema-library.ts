/**
 * The schemas of built-in types as JSON text, each made when first needed and then shared by all
 * documents. The few kinds that belong to every group (DeleteOptions, WatchEvent) differ from
 * document to document in the groups they name.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { META } from './operation.ts';
import type { GroupVersionKind, Parameter } from './operation.ts';
import { SCHEMA_REFERENCE, schemaOfType } from './type-schema.ts';
import type { TypeDescriptions } from './type-schema.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const OF_EVERY_GROUP: ReadonlySet<string> = new Set(['DeleteOptions', 'WatchEvent']);
/** Kinds of meta/v1 that no resource has. */
const META_KINDS = [
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'DeleteOptions',
  'Status',
  'WatchEvent',
];
const CORE: GroupVersion = { group: '', version: 'v1' };

/** Where a document takes its schemas from. */
export interface Schemas {
  /** These types and all that they refer to, directly or not, by name. */
  reachable(typeIds: Iterable<string>): string[];
  /** The schema as a document about this group version holds it. */
  text(typeId: string, document: GroupVersion | undefined): string;
  /** undefined when the build found none. */
  parameterDescription(parameter: Parameter): string | undefined;
}

interface Entry {
  readonly schema: JsonObject;
  readonly references: readonly string[];
}

export class SchemaLibrary implements Schemas {
  readonly #describe: (typeId: string) => TypeDescriptions;
  readonly #enums: boolean;
  readonly #kinds: ReadonlyMap<string, GroupVersionKind>;
  readonly #entries = new Map<string, Entry>();
  readonly #texts = new Map<string, string>();

  /**
   * @param describe what is said about a type and its fields; an empty map when nothing is
   * @param enums whether the values of a field are named where there are only some
   */
  constructor(
    served: readonly ResourceFacts[],
    describe: (typeId: string) => TypeDescriptions,
    enums = true,
  ) {
    this.#describe = describe;
    this.#enums = enums;
    this.#kinds = kindsOf(served);
  }

  reachable(typeIds: Iterable<string>): string[] {
    const found = new Set(typeIds);
    // A set that grows is walked to its end.
    for (const id of found) for (const other of this.#entry(id).references) found.add(other);
    return [...found].sort();
  }

  text(typeId: string, document: GroupVersion | undefined): string {
    const kind = this.#kinds.get(typeId);
    if (kind !== undefined && OF_EVERY_GROUP.has(kind.kind)) {
      return formatJson(this.schema(typeId, document === undefined ? [] : [document]));
    }
    const known = this.#texts.get(typeId);
    if (known !== undefined) return known;
    const text = formatJson(this.schema(typeId, []));
    this.#texts.set(typeId, text);
    return text;
  }

  parameterDescription({ name, typeId, description }: Parameter): string | undefined {
    if (typeId === undefined) return description;
    return this.#describe(typeId).get(name);
  }

  /** @param others group versions, beside v1, under which a kind of every group goes */
  schema(typeId: string, others: readonly GroupVersion[]): JsonObject {
    const { schema } = this.#entry(typeId);
    const gvk = this.#kinds.get(typeId);
    if (gvk === undefined) return schema;
    const { group, version, kind } = gvk;
    const kinds: JsonObject[] = [{ group, kind, version }];
    if (OF_EVERY_GROUP.has(kind)) {
      for (const other of others) {
        if (other.group !== '') kinds.push({ group: other.group, kind, version: other.version });
      }
    }
    return { ...schema, 'x-kubernetes-group-version-kind': kinds };
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const schema = schemaOfType(id, this.#describe(id), this.#enums);
    const references = new Set<string>();
    collectReferences(schema, references);
    const entry = { schema, references: [...references] };
    this.#entries.set(id, entry);
    return entry;
  }
}

function kindsOf(served: readonly ResourceFacts[]): Map<string, GroupVersionKind> {
  const kinds = new Map<string, GroupVersionKind>();
  for (const kind of META_KINDS) kinds.set(`${META}.${kind}`, { ...CORE, kind });
  for (const { group, version, kind, listKind, typeId, listTypeId, subresources } of served) {
    kinds.set(typeId, { group, version, kind });
    if (listTypeId !== '') kinds.set(listTypeId, { group, version, kind: listKind });
    for (const { typeId: id, ...one } of subresources) {
      kinds.set(id, { group: one.group, version: one.version, kind: one.kind });
    }
  }
  return kinds;
}

function collectReferences(value: JsonValue, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value) collectReferences(one, found);
  } else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      if (key === '$ref' && typeof one === 'string') found.add(one.slice(SCHEMA_REFERENCE.length));
      else if (one !== undefined && typeof one === 'object') collectReferences(one, found);
    }
  }
}
