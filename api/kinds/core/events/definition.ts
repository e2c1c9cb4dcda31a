/**
 * Events: what happened to an object, told for people. One store, shown by two groups, of which
 * the newer one is stricter.
 *
 * In Kubernetes: registry/core/event.
 */
import type { Event } from '../../../generated/kinds/core-v1.ts';
import { nameIsPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { eventConversion } from './conversion.ts';
import { validateEvent, validateStrictEvent, validateStrictEventUpdate } from './validation.ts';

const REFERENCE_KEYS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const;

export const events = defineKind('v1/events', {
  fields: {
    ...referenceFields('involvedObject'),
    reason: (event) => event.reason ?? '',
    reportingComponent: (event) => event.reportingComponent,
    // The component that tells the event, in whichever of the two fields it named itself.
    source: (event) => event.source.component || event.reportingComponent,
    type: (event) => event.type ?? '',
  },
  alsoServedAs: [
    {
      group: 'events.k8s.io',
      version: 'v1',
      conversion: eventConversion,
      strategy: strategyOf({
        allowsCreateOnUpdate: true,
        defaultGarbageCollection: 'unsupported',
        validate: validateStrictEvent,
        validateUpdate: validateStrictEventUpdate,
      }),
      fields: {
        ...referenceFields('regarding'),
        reason: (event) => event.reason ?? '',
        reportingController: (event) => event.reportingComponent,
        type: (event) => event.type ?? '',
      },
    },
  ],
  rules: {
    validateName: nameIsPathSegment,
    allowsCreateOnUpdate: true,
    defaultGarbageCollection: 'unsupported',
    takesAnyFinalizer: true,
    validate: (event) => validateEvent(event, 'reportingComponent'),
  },
});

/** The fields of the object that the event is about; `section`: what the served version calls it. */
function referenceFields(section: string) {
  return Object.fromEntries(
    REFERENCE_KEYS.map((key) => [
      `${section}.${key}`,
      (event: Event) => event.involvedObject[key] ?? '',
    ]),
  );
}
