/**
 * A value and what was in its place before, so that an update is not refused for what it leaves as
 * it was. Fields correspond by their names, items of a list only if it is a map, by their keys.
 *
 * The surprise is what counts as unchanged: an object whose fields the schema does not know never
 * does, and a list that is a map does when its items stand in another order.
 *
 * In Kubernetes: CorrelatedObject and MapList, apiserver/pkg/cel/common.
 */
import { formatJson } from '../json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';
import { forEachItem, remembered, someItem } from '../json/work-in-slices.ts';
import type { StructuralSchema } from './structural-schema.ts';

export class CorrelatedValue {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: StructuralSchema;
  readonly #children = new Map<string | number, CorrelatedValue | undefined>();
  #items: ReadonlyMap<string, JsonObject> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: StructuralSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** undefined: nothing was in its place. */
  field(name: string): CorrelatedValue | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#makeField(name));
    return this.#children.get(name);
  }

  #makeField(name: string): CorrelatedValue | undefined {
    if (!isJsonObject(this.#value) || !isJsonObject(this.#old)) return undefined;
    const value = ownValue(this.#value, name);
    const old = ownValue(this.#old, name);
    const { properties, additionalProperties } = this.#schema;
    const others = additionalProperties === true ? undefined : additionalProperties;
    const schema = properties.get(name) ?? others;
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new CorrelatedValue(value, old, schema);
  }

  /** undefined: nothing was in its place. */
  item(index: number): CorrelatedValue | undefined {
    return remembered(() => {
      if (!this.#children.has(index)) this.#children.set(index, this.#makeItem(index));
      return this.#children.get(index);
    });
  }

  #makeItem(index: number): CorrelatedValue | undefined {
    const { items, extensions } = this.#schema;
    const item = Array.isArray(this.#value) ? this.#value[index] : undefined;
    if (items === undefined || extensions.listType !== 'map' || !isJsonObject(item)) {
      return undefined;
    }
    const key = itemKeyOf(item, extensions.listMapKeys);
    const old = key === undefined ? undefined : this.#oldItems().get(key);
    return old === undefined ? undefined : new CorrelatedValue(item, old, items);
  }

  /** By their keys; of two with the same the first counts. */
  #oldItems(): ReadonlyMap<string, JsonObject> {
    if (this.#items !== undefined) return this.#items;
    const items = remembered(() => new Map<string, JsonObject>());
    forEachItem(Array.isArray(this.#old) ? this.#old : [], (item) => {
      const key = isJsonObject(item)
        ? itemKeyOf(item, this.#schema.extensions.listMapKeys)
        : undefined;
      if (key !== undefined && isJsonObject(item) && !items.has(key)) items.set(key, item);
    });
    this.#items = items;
    return items;
  }

  isUnchanged(): boolean {
    return remembered(() => (this.#isUnchanged ??= this.#compare()));
  }

  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (Array.isArray(value)) return Array.isArray(old) && this.#compareLists(value, old);
    if (isJsonObject(value)) return isJsonObject(old) && this.#compareObjects(value, old);
    return value === old;
  }

  #compareLists(value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
    if (value.length !== old.length) return false;
    if (this.#schema.extensions.listType !== 'map') return isEqualJson([...value], [...old]);
    return !someItem(value, (_item, index) => this.item(index)?.isUnchanged() !== true);
  }

  #compareObjects(value: JsonObject, old: JsonObject): boolean {
    const names = ownKeys(value);
    if (names.length !== ownKeys(old).length) return false;
    return !someItem(names, (name) => this.field(name)?.isUnchanged() !== true);
  }
}

/** undefined: a key is missing, or is an object or a list. */
function itemKeyOf(item: JsonObject, keys: readonly string[]): string | undefined {
  const parts: JsonValue[] = [];
  for (const key of keys) {
    const value = ownValue(item, key);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    parts.push(value);
  }
  return formatJson(parts);
}
