/**
 * Whether a schema inside of another is so ordinary that nothing can be wrong with it: it has a
 * type, and says nothing but what may be said anywhere. Most schemas are, and a definition has
 * hundreds of them, so each look for what is wrong passes them by.
 */
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { remembered, someKey, stepped } from '../json/work-in-slices.ts';
import { compileRegularExpression } from '../meta/regular-expression.ts';

const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What can be said in any place and in any way. */
const HARMLESS = new Set([
  'default',
  'description',
  'enum',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'externalDocs',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'nullable',
  'required',
  'title',
  'type',
]);

/** To compile a pattern takes some microseconds. */
export const PATTERN_STEPS = 20;

/** Of those that have schemas in them; without it each schema around would look at them again. */
const known = new WeakMap<JsonObject, boolean>();

/**
 * @param props not the root, not inside what describes metadata, where less may be said; canonical,
 *     and not changed any more.
 */
export function isOrdinary(props: JsonObject): boolean {
  const { items, properties, additionalProperties } = props;
  const isLeaf = !isSaid(items) && !isSaid(properties) && !isSaid(additionalProperties);
  if (isLeaf) return saysOnlyOrdinary(props);
  return remembered(() => {
    const answer = known.get(props);
    if (answer !== undefined) return answer;
    const found = saysOnlyOrdinary(props) && areOrdinaryWithin(props);
    known.set(props, found);
    return found;
  });
}

function saysOnlyOrdinary(props: JsonObject): boolean {
  for (const key in props) {
    if (HARMLESS.has(key)) continue;
    if (key === 'items' || key === 'properties' || key === 'additionalProperties') continue;
    if (key !== 'pattern' || !isReadablePattern(props[key])) return false;
  }
  const type = stringAt(props, 'type');
  return TYPES.includes(type) && (type !== 'array' || isJsonObject(props['items']));
}

function isReadablePattern(pattern: JsonValue | undefined): boolean {
  if (typeof pattern !== 'string') return false;
  stepped(PATTERN_STEPS);
  return pattern === '' || compileRegularExpression(pattern).ok;
}

function areOrdinaryWithin({ items, properties, additionalProperties: values }: JsonObject) {
  if (isSaid(items) && !isOrdinaryPart(items)) return false;
  if (isSaid(values) && typeof values !== 'boolean' && !isOrdinaryPart(values)) return false;
  if (!isSaid(properties)) return true;
  // A schema is that of a struct or that of a map.
  if (!isJsonObject(properties) || isSaid(values)) return false;
  return !someKey(properties, (name) => !isOrdinaryPart(properties[name]));
}

function isOrdinaryPart(part: JsonValue | undefined): boolean {
  return isJsonObject(part) && isOrdinary(part);
}

function isSaid(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
