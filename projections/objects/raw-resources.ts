/**
 * Resources with JSON in them that Go keeps as it was sent (RawExtension). Nothing else in such an
 * object can be a number with a fraction or beyond int64, so where it is read all keep their spelling.
 */
import { parseAsSpelled, parseJson } from '../../api/json/json-text.ts';
import type { JsonValue } from '../../api/json/json.ts';
import { isDeclared } from './declared-form.ts';
import { parseManaged } from './managed-text.ts';

/** As stored objects name them. */
export const RAW_RESOURCES: ReadonlySet<string> = new Set([
  'apps/controllerrevisions',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
]);

/** What of it is the fields of managers may be shared, and is never changed. @throws {SyntaxError} as JSON.parse does. */
export function parseStored(resource: string, text: string): JsonValue {
  if (RAW_RESOURCES.has(resource)) return parseAsSpelled(text);
  return isDeclared(resource) ? parseManaged(text) : parseJson(text);
}
