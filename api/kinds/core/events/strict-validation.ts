/**
 * What an event must say in events.k8s.io/v1, where what is old-fashioned is refused, and what may
 * still change of it: next to nothing. Fields are called as they are stored.
 *
 * In Kubernetes: ValidateEventCreate and ValidateEventUpdate, pkg/apis/core/validation.
 */
import type { Event } from '../../../generated/kinds/core-v1.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateEvent } from './validation.ts';

const CONTROLLER = 'reportingController';
const SERIES_MIN = 2;

/** Each with its type in Go, and with the key under which it is stored. */
const FIXED: readonly (readonly [field: string, type: string, key: keyof Event])[] = [
  ['involvedObject', 'ObjectReference', 'involvedObject'],
  ['reason', 'string', 'reason'],
  ['message', 'string', 'message'],
  ['source', 'EventSource', 'source'],
  ['firstTimestamp', 'own:Time', 'firstTimestamp'],
  ['lastTimestamp', 'own:Time', 'lastTimestamp'],
  ['count', 'number', 'count'],
  ['type', 'string', 'type'],
  ['eventTime', 'own:MicroTime', 'eventTime'],
  ['action', 'string', 'action'],
  ['related', '*ObjectReference', 'related'],
  [CONTROLLER, 'string', 'reportingComponent'],
  ['reportingInstance', 'string', 'reportingInstance'],
];

export function validateStrictEvent(event: Event): FieldErrors {
  const { type = '', source, count = 0 } = event;
  const unset = (field: string) => invalidValue(field, '', 'needs to be unset');
  const hasSource = (source.component ?? '') !== '' || (source.host ?? '') !== '';
  const times = ['firstTimestamp', 'lastTimestamp'] as const;
  return [
    ...validateEvent(event, CONTROLLER),
    ...validateSeries(event),
    ...(isMissing(event.eventTime) ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...times.filter((key) => !isMissing(event[key])).map(unset),
    ...(count === 0 ? [] : [unset('count')]),
    ...(hasSource ? [unset('source')] : []),
  ];
}

export function validateStrictEventUpdate(event: Event, old: Event): FieldErrors {
  return [
    ...validateEvent(event, CONTROLLER),
    ...(sameValue(event.series, old.series) ? [] : validateSeries(event)),
    ...FIXED.flatMap(([field, type, key]) => {
      const [now, before] = [internalForm(type, event[key]), internalForm(type, old[key])];
      return sameValue(now, before) ? [] : [invalidValue(field, now, 'field is immutable')];
    }),
  ];
}

function validateSeries({ series }: Event): FieldErrors {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < SERIES_MIN
      ? [invalidValue('series.count', '', 'should be at least 2')]
      : []),
    ...(isMissing(series.lastObservedTime) ? [required('series.lastObservedTime')] : []),
  ];
}
