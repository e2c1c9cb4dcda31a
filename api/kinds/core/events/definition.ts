/**
 * Events: what happened to an object, told for people. One store, shown by two groups, of which
 * the newer one is stricter: `v1` is stored, and `events.k8s.io/v1` is shown from it. Nothing is lost
 * either way; fields are only called otherwise.
 *
 * In Kubernetes: registry/core/event; Convert_core_Event_To_v1_Event, pkg/apis/events/v1.
 */
import type { JsonObject, JsonValue } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import type { VersionConversion } from '../../resource-definition.ts';
import type { Event } from '../../../generated/kinds/core-v1.ts';
import { nameIsPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { validateEvent, validateStrictEvent, validateStrictEventUpdate } from './validation.ts';

interface Spelling {
  readonly core: string;
  readonly events: string;
}

/** In the order of events.k8s.io/v1. */
const SPELLINGS: readonly Spelling[] = [
  { core: 'metadata', events: 'metadata' },
  { core: 'eventTime', events: 'eventTime' },
  { core: 'series', events: 'series' },
  { core: 'reportingComponent', events: 'reportingController' },
  { core: 'reportingInstance', events: 'reportingInstance' },
  { core: 'action', events: 'action' },
  { core: 'reason', events: 'reason' },
  { core: 'involvedObject', events: 'regarding' },
  { core: 'related', events: 'related' },
  { core: 'message', events: 'note' },
  { core: 'type', events: 'type' },
  { core: 'source', events: 'deprecatedSource' },
  { core: 'firstTimestamp', events: 'deprecatedFirstTimestamp' },
  { core: 'lastTimestamp', events: 'deprecatedLastTimestamp' },
  { core: 'count', events: 'deprecatedCount' },
];

const CORE_ORDER = [
  'metadata',
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'series',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** What Go writes even when it is empty. */
const ALWAYS_IN_CORE: Readonly<Record<string, JsonValue>> = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};
const ALWAYS_IN_EVENTS: Readonly<Record<string, JsonValue>> = {
  eventTime: null,
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

const EVENTS_NAME_OF = new Map(SPELLINGS.map(({ core, events }) => [core, events]));

export const eventConversion: VersionConversion = {
  toStorage(event) {
    const fields = CORE_ORDER.map((core): Renaming => {
      return { from: EVENTS_NAME_OF.get(core) ?? core, to: core };
    });
    return renamed(event, 'v1', fields, ALWAYS_IN_CORE);
  },
  fromStorage(event) {
    const fields = SPELLINGS.map(({ core, events }): Renaming => ({ from: core, to: events }));
    return renamed(event, 'events.k8s.io/v1', fields, ALWAYS_IN_EVENTS);
  },
};

interface Renaming {
  readonly from: string;
  readonly to: string;
}

function renamed(
  event: KubeObject,
  apiVersion: string,
  renamings: readonly Renaming[],
  always: Readonly<Record<string, JsonValue>>,
): KubeObject {
  const fields: JsonObject = {};
  for (const { from, to } of renamings) {
    const value = event[from];
    // An empty string is what Go leaves out, except where it always writes the field.
    if (value !== undefined && value !== '') fields[to] = value;
    else if (to in always) fields[to] = always[to];
  }
  return { kind: event.kind, apiVersion, ...fields, metadata: event.metadata };
}

const REFERENCE_KEYS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const;

/** What an event is, in both groups. */
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
        placesMetadataErrors: true,
        takesAnyFinalizer: true, // They are judged where the rules of metadata have their place.
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
    placesMetadataErrors: true,
    validateName: nameIsPathSegment,
    allowsCreateOnUpdate: true,
    defaultGarbageCollection: 'unsupported',
    takesAnyFinalizer: true,
    validate: (event, metadataErrors = []) => {
      const errors = validateEvent(event, 'reportingComponent');
      return errors.length > 0 ? errors : metadataErrors;
    },
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
