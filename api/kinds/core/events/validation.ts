/**
 * What an event must say. Those with an eventTime are of the newer sort and say more.
 *
 * In Kubernetes: legacyValidateEvent, pkg/apis/core/validation.
 */
import type { Event } from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';

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
