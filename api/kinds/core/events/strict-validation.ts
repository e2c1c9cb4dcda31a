/**
 * What an event must say in events.k8s.io/v1, where what is old-fashioned is refused, and what may
 * still change of it: next to nothing. Fields are called as they are stored.
 *
 * In Kubernetes: ValidateEventCreate and ValidateEventUpdate, pkg/apis/core/validation.
 */
import { numberAt, objectAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateEvent } from './validation.ts';

const CONTROLLER = 'reportingController';
const SERIES_MIN = 2;

/** Each with its type in Go, and with the key under which it is stored if that is another. */
const FIXED: readonly (readonly [string, string, string?])[] = [
  ['involvedObject', 'ObjectReference'],
  ['reason', 'string'],
  ['message', 'string'],
  ['source', 'EventSource'],
  ['firstTimestamp', 'own:Time'],
  ['lastTimestamp', 'own:Time'],
  ['count', 'number'],
  ['type', 'string'],
  ['eventTime', 'own:MicroTime'],
  ['action', 'string'],
  ['related', '*ObjectReference'],
  [CONTROLLER, 'string', 'reportingComponent'],
  ['reportingInstance', 'string'],
];

export function validateStrictEvent(event: KubeObject): FieldErrors {
  const type = stringAt(event, 'type');
  const source = objectAt(event, 'source');
  const unset = (field: string) => invalidValue(field, '', 'needs to be unset');
  const hasSource = stringAt(source, 'component') !== '' || stringAt(source, 'host') !== '';
  return [
    ...validateEvent(event, CONTROLLER),
    ...validateSeries(event),
    ...(isMissing(event['eventTime']) ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...['firstTimestamp', 'lastTimestamp'].filter((key) => !isMissing(event[key])).map(unset),
    ...((numberAt(event, 'count') ?? 0) === 0 ? [] : [unset('count')]),
    ...(hasSource ? [unset('source')] : []),
  ];
}

export function validateStrictEventUpdate(event: KubeObject, old: KubeObject): FieldErrors {
  return [
    ...validateEvent(event, CONTROLLER),
    ...(sameValue(event['series'], old['series']) ? [] : validateSeries(event)),
    ...FIXED.flatMap(([field, type, key = field]) => {
      const [now, before] = [internalForm(type, event[key]), internalForm(type, old[key])];
      return sameValue(now, before) ? [] : [invalidValue(field, now, 'field is immutable')];
    }),
  ];
}

function validateSeries(event: KubeObject): FieldErrors {
  const series = objectAt(event, 'series');
  if (series === undefined) return [];
  const few = (numberAt(series, 'count') ?? 0) < SERIES_MIN;
  return [
    ...(few ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(isMissing(series['lastObservedTime']) ? [required('series.lastObservedTime')] : []),
  ];
}
