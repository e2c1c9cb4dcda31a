/**
 * Tolerations as sets: which of two tolerates more, two lists as one, and whether a list stays
 * within what another allows.
 *
 * In Kubernetes: pkg/util/tolerations.
 */
import { type JsonObject, numberAt, stringAt } from '../../api/meta/json.ts';
import { sameValue } from '../resources/same-value.ts';

/** Both lists, without those that another one makes needless. */
export function mergeTolerations(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  for (const [index, one] of all.entries()) {
    const isNeedless =
      merged.some((other) => toleratesAll(other, one)) ||
      all.slice(index + 1).some((other) => !sameValue(one, other) && toleratesAll(other, one));
    if (!isNeedless) merged.push(one);
  }
  return merged;
}

/** An empty list allows everything. */
export function isAllowedBy(
  tolerations: readonly JsonObject[],
  allowed: readonly JsonObject[],
): boolean {
  if (allowed.length === 0) return true;
  return tolerations.every((one) => allowed.some((other) => toleratesAll(other, one)));
}

/** Whether `wide` tolerates all that `narrow` does. */
function toleratesAll(wide: JsonObject, narrow: JsonObject): boolean {
  if (sameValue(wide, narrow)) return true;
  const [key, operator] = [stringAt(wide, 'key'), stringAt(wide, 'operator')];
  if (key !== stringAt(narrow, 'key') && (key !== '' || operator !== 'Exists')) return false;
  const effect = stringAt(wide, 'effect');
  if (effect !== '' && effect !== stringAt(narrow, 'effect')) return false;
  if (effect === 'NoExecute' && !lastsAsLong(wide, narrow)) return false;
  if (operator === 'Exists') return true;
  if (operator !== 'Equal' && operator !== '') return false;
  const isSameValue = stringAt(wide, 'value') === stringAt(narrow, 'value');
  return stringAt(narrow, 'operator') === 'Equal' && isSameValue;
}

function lastsAsLong(wide: JsonObject, narrow: JsonObject): boolean {
  const most = numberAt(wide, 'tolerationSeconds');
  if (most === undefined) return true;
  const asked = numberAt(narrow, 'tolerationSeconds');
  return asked !== undefined && asked <= most;
}
