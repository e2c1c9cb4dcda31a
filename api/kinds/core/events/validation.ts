/**
 * What an event must say. Those with an eventTime are of the newer sort and say more. In
 * events.k8s.io/v1 the old-fashioned fields are refused, and next to nothing may change; errors call
 * the fields as they are stored.
 *
 * In Kubernetes: legacyValidateEvent, ValidateEventCreate and ValidateEventUpdate,
 * pkg/apis/core/validation.
 */
import type { Event } from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { validateStandardFinalizers } from '../../../validation/object-meta-validation.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';

const SHORT_TEXT_BYTES_MAX = 128;
const NOTE_BYTES_MAX = 1024;

/** `controllerField` is what the version calls the controller that reports. */
export function validateEvent(event: Event, controllerField: string): FieldErrors {
  return isMissing(event.eventTime)
    ? validateOldEvent(event)
    : validateNewEvent(event, controllerField);
}

function validateOldEvent(event: Event): FieldErrors {
  const { namespace = '' } = event.metadata;
  const about = event.involvedObject.namespace ?? '';
  const matches = about === '' ? ['', 'default'].includes(namespace) : namespace === about;
  return matches ? [] : [namespaceMismatch(about)];
}

function validateNewEvent(event: Event, controllerField: string): FieldErrors {
  const { namespace = '' } = event.metadata;
  const about = event.involvedObject.namespace ?? '';
  const controller = event.reportingComponent;
  return [
    ...(about === '' && !['default', 'kube-system'].includes(namespace)
      ? [namespaceMismatch(about)]
      : []),
    ...(controller === '' ? [required(controllerField)] : []),
    ...invalidFor(controllerField, controller, qualifiedNameProblems(controller)),
    ...shortText('reportingInstance', event),
    ...shortText('action', event),
    ...shortText('reason', event),
    ...notLonger('message', event, NOTE_BYTES_MAX),
  ];
}

function namespaceMismatch(about: string) {
  return invalidValue('involvedObject.namespace', about, 'does not match event.namespace');
}

type TextKey = 'reportingInstance' | 'action' | 'reason' | 'message';

function shortText(key: TextKey, event: Event): FieldErrors {
  return (event[key] ?? '') === '' ? [required(key)] : notLonger(key, event, SHORT_TEXT_BYTES_MAX);
}

/** The text itself is not shown. */
function notLonger(key: TextKey, event: Event, bytesMax: number): FieldErrors {
  return Buffer.byteLength(event[key] ?? '') <= bytesMax
    ? []
    : [invalidValue(key, '', `can have at most ${String(bytesMax)} characters`)];
}

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

export function validateStrictEvent(event: Event, metadataErrors: FieldErrors = []): FieldErrors {
  const { type = '', source, count = 0 } = event;
  const unset = (field: string) => invalidValue(field, '', 'needs to be unset');
  const hasSource = (source.component ?? '') !== '' || (source.host ?? '') !== '';
  const times = ['firstTimestamp', 'lastTimestamp'] as const;
  return [
    ...validateEvent(event, CONTROLLER),
    ...metadataErrors,
    ...validateStandardFinalizers(event.metadata),
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
    ...validateStandardFinalizers(event.metadata),
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
