/**
 * Columns whose cells are texts that can be read from the bytes of an object, without parsing it: which is
 * most of what a window costs that reads ten thousand of them.
 */
import type { FieldType } from '../../../api/scheme/field-type.ts';
import { jsonFieldsOf } from '../../../api/scheme/type-facts.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { keyBytes } from '../../../projections/objects/json-bytes.ts';

/** Of fields by their names, with nothing that could stand for others. */
export const FIELDS = /^(?:\.[A-Za-z0-9]+)+$/;

/**
 * The keys under which the text lies, as `textUnder` takes them; undefined: what stands there may be another thing
 * than what is shown, as where objects are converted, or where the type of a built-in kind has no such text.
 */
export function textKeys(
  { custom, conversion, facts }: ServedResource,
  jsonPath: string,
): readonly Buffer[] | undefined {
  if (conversion !== undefined || !FIELDS.test(jsonPath)) return undefined;
  const names = jsonPath.slice(1).split('.');
  const isText = custom !== undefined || isTextOf({ kind: 'message', id: facts.typeId }, names);
  return isText ? names.map(keyBytes) : undefined;
}

function isTextOf(type: FieldType, [name, ...names]: readonly string[]): boolean {
  if (name === undefined) return type.kind === 'time' || isString(type);
  if (type.kind === 'map') return isTextOf(type.of, names);
  if (type.kind !== 'message') return false;
  const field = jsonFieldsOf(type.id).find((one) => one.name === name);
  return field !== undefined && isTextOf(field.type, names);
}

function isString(type: FieldType): boolean {
  return type.kind === 'scalar' && type.scalar === 'string';
}
