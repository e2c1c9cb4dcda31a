/** What both directions between the metrics of v1 and of v2 have in common. */
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { isMissing } from '../../rules/value-validation.ts';

type Change = (source: JsonObject) => JsonObject;

/** In Go's order; a metric has one of these, named by its type. */
const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;

/** How each source is written in the other form. */
export type MetricChanges = Readonly<Record<(typeof SOURCES)[number], Change>>;

export function changedMetric(metric: JsonObject, changes: MetricChanges): JsonObject {
  const result: JsonObject = { type: stringAt(metric, 'type') };
  for (const key of SOURCES) {
    const source = objectAt(metric, key);
    if (source !== undefined) result[key] = changes[key](source);
  }
  return result;
}

/** What `of` refers to. */
export function referenceAt(of: JsonObject, key: string): JsonObject {
  const reference = objectAt(of, key);
  const apiVersion = stringAt(reference, 'apiVersion');
  return {
    kind: stringAt(reference, 'kind'),
    name: stringAt(reference, 'name'),
    ...(apiVersion === '' ? {} : { apiVersion }),
  };
}

export function optional(key: string, value: JsonValue | undefined): JsonObject {
  return isMissing(value) ? {} : { [key]: value };
}
