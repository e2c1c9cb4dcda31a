/**
 * Events: what happened to an object, told for people. One store, shown by two groups, of which
 * the newer one is stricter.
 *
 * In Kubernetes: registry/core/event.
 */
import { nameIsPathSegment } from '../../../meta/names.ts';
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { defineKind, selectable } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { eventConversion } from './conversion.ts';
import { validateStrictEvent, validateStrictEventUpdate } from './strict-validation.ts';
import { validateEvent } from './validation.ts';

const REFERENCE_KEYS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
];

export const events = defineKind('v1/events', {
  fields: selectable({
    ...referenceFields('involvedObject'),
    reason: (event) => stringAt(event, 'reason'),
    reportingComponent: (event) => stringAt(event, 'reportingComponent'),
    source: sourceOf,
    type: (event) => stringAt(event, 'type'),
  }),
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
      fields: selectable({
        ...referenceFields('regarding', 'involvedObject'),
        reason: (event) => stringAt(event, 'reason'),
        reportingController: (event) =>
          stringAt(event, 'reportingController') || stringAt(event, 'reportingComponent'),
        type: (event) => stringAt(event, 'type'),
      }),
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

/** `stored` is what the section is called in the stored form, which may be asked as well. */
function referenceFields(section: string, stored = section) {
  return Object.fromEntries(
    REFERENCE_KEYS.map((key) => [
      `${section}.${key}`,
      (event: JsonObject) => stringAt(objectAt(event, section) ?? objectAt(event, stored), key),
    ]),
  );
}

/** The component that tells the event, in whichever of the two fields it named itself. */
function sourceOf(event: JsonObject): string {
  const component = stringAt(objectAt(event, 'source'), 'component');
  return component === '' ? stringAt(event, 'reportingComponent') : component;
}
