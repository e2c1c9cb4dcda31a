/**
 * Objects with faults: an object that is right, in which a seeded chance changes one to three
 * things, as people do. Something is taken away, emptied, written otherwise, doubled, or a field
 * that the type has and the object has not is filled in.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { FieldType } from '../../../api/scheme/field-type.ts';
import { type FieldFacts, jsonFieldsOf } from '../../../api/scheme/type-facts.ts';
import { oneOf, valueFor, type Choice } from './chosen-value.ts';

/** A struct somewhere in the object. */
interface ParityObject {
  readonly value: JsonObject;
  readonly id: string;
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Metadata that the registry has seen to before a strategy has its turn. */
const NOT_OURS = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'generateName',
  'generation',
  'managedFields',
  'ownerReferences',
]);

/** A changed copy. `sections` are the top-level fields in which changes are made. */
export function mutated(
  object: JsonObject,
  typeId: string,
  sections: readonly string[],
  choice: Choice,
): JsonObject {
  const copy = structuredClone(object);
  const changes = oneOf(choice.chance, [1, 1, 1, 2, 2, 3]);
  for (let made = 0; made < changes; made += 1) changeOne(copy, typeId, sections, choice);
  return copy;
}

function changeOne(
  object: JsonObject,
  typeId: string,
  sections: readonly string[],
  choice: Choice,
): void {
  const section = oneOf(choice.chance, sections);
  const top = jsonFieldsOf(typeId).find(({ name }) => name === section);
  if (top === undefined) return;
  const value = object[section];
  const places = value === undefined ? [] : placesIn(value, top.type);
  const isWhole = section !== 'metadata' && choice.chance() < 0.03;
  if (places.length === 0 || isWhole) {
    changeField({ value: object, id: typeId }, top, choice);
    return;
  }
  const place = oneOf(choice.chance, places);
  const fields = changeableFields(place.id);
  const present = fields.filter(({ name }) => place.value[name] !== undefined);
  const usesPresent = present.length > 0 && choice.chance() < 0.6;
  const among = usesPresent ? present : fields;
  if (among.length > 0) changeField(place, oneOf(choice.chance, among), choice);
}

function placesIn(value: JsonValue, type: FieldType): ParityObject[] {
  if (type.kind === 'list' && Array.isArray(value)) {
    return value.flatMap((item) => placesIn(item, type.of));
  }
  if (type.kind === 'map' && isJsonObject(value)) {
    return Object.values(value).flatMap((item) =>
      item === undefined ? [] : placesIn(item, type.of),
    );
  }
  if (type.kind !== 'message' || !isJsonObject(value)) return [];
  const inner = changeableFields(type.id).flatMap((field) => {
    const at = value[field.name];
    return at === undefined ? [] : placesIn(at, field.type);
  });
  return [{ value, id: type.id }, ...inner];
}

function changeableFields(id: string): readonly FieldFacts[] {
  const fields = jsonFieldsOf(id);
  return id === OBJECT_META ? fields.filter(({ name }) => !NOT_OURS.has(name)) : fields;
}

function changeField({ value: parent }: ParityObject, field: FieldFacts, choice: Choice): void {
  const { chance } = choice;
  const value = parent[field.name];
  const luck = chance();
  if (value !== undefined && luck < 0.2) Reflect.deleteProperty(parent, field.name);
  else if (value !== undefined && luck < 0.28) parent[field.name] = emptyOf(value);
  else if (Array.isArray(value) && luck < 0.7)
    parent[field.name] = changedList(value, field, choice);
  else if (isJsonObject(value) && field.type.kind === 'map' && luck < 0.6) {
    parent[field.name] = { ...value, ...asMap(valueFor(field, choice)) };
  } else parent[field.name] = valueFor(field, choice);
}

function asMap(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}

function emptyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return [];
  if (isJsonObject(value)) return {};
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : false;
}

function changedList(list: readonly JsonValue[], field: FieldFacts, choice: Choice): JsonValue {
  const copy = structuredClone([...list]);
  const luck = choice.chance();
  if (copy.length > 0 && luck < 0.35) return [...copy, structuredClone(oneOf(choice.chance, copy))];
  if (copy.length > 0 && luck < 0.6) return copy.slice(0, -1);
  if (copy.length > 1 && luck < 0.7) return copy.reverse();
  const more = valueFor(field, choice);
  return Array.isArray(more) ? [...copy, ...more] : copy;
}
