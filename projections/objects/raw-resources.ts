/**
 * Resources with JSON in them that Go keeps as it was sent (RawExtension). Nothing else in such an
 * object can be a whole number beyond int64, so all digits of those are kept where it is read.
 */
import { withAllDigits } from '../../api/json/json-reader.ts';
import { parseJson } from '../../api/json/json-text.ts';
import type { JsonValue } from '../../api/json/json.ts';

/** As stored objects name them. */
export const RAW_RESOURCES: ReadonlySet<string> = new Set([
  'apps/controllerrevisions',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
]);

/** @throws {SyntaxError} as JSON.parse does. */
export function parseStored(resource: string, text: string): JsonValue {
  const value = parseJson(text);
  return RAW_RESOURCES.has(resource) ? withAllDigits(value) : value;
}
