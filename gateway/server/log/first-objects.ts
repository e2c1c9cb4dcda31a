/**
 * The objects that every control plane has (namespaces, roles, flow schemas, priority classes, APIServices)
 * as one append to an empty log. The build takes them from a server that wrote each of them by its hooks;
 * a server has its own uids and times in them. Its hooks run as ever (control-plane/own-writes.ts): they find
 * these objects, and put right what differs.
 *
 * Objects that depend on the machine or on a flag are none of them: the Lease of the server, the authorities of
 * its clients, the service `kubernetes` and its addresses.
 */
import { readIfGenerated } from '../../../api/generated/read-generated.ts';
import { type Clock, formatTime, type Random } from '../../../api/meta/clock.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { AdmissionSettings } from '../../flags/sections/admission-settings.ts';
import type { AuditSettings } from '../../flags/sections/audit-settings.ts';
import type { AuthorizationSettings } from '../../flags/sections/authorization-settings.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { FairnessSettings } from '../../flags/sections/request-settings.ts';
import type { StorageSettings } from '../../flags/sections/storage-settings.ts';
import { usesMode } from '../guards/authorization.ts';

/** The file in `dist/generated`: an array of {@link FirstObject}. */
export const FIRST_OBJECTS_FILE = 'first-objects.json';
/** Stands in the text of a first object where its uid is. */
export const UID_PLACE = '{uid}';
/** Stands there where a time is, in whole seconds. */
export const TIME_PLACE = '{time}';

/** An object without what is its own on each server. */
export interface FirstObject {
  /** `core/namespaces`. */
  readonly resource: string;
  /** `<namespace>/<name>`. */
  readonly path: string;
  /** Which field manager wrote it. */
  readonly fieldManager: string;
  /** The object, with {@link UID_PLACE} and {@link TIME_PLACE} in it. */
  readonly json: string;
}

/** What is asked of the start of a record: whether the objects of this resource are written. */
export type WhichObjects = (resource: string) => boolean;

const NONE: WhichObjects = () => false;
const USER = 'system:apiserver';
const RULES = 'rbac.authorization.k8s.io/';
const FLOWS = 'flowcontrol.apiserver.k8s.io/';
const NEWEST_TIMEOUT_MS = 30_000;

/** What they say decides nothing of these objects. */
const OTHER_GATES = ['APIServerIdentity', 'UnknownVersionInteroperabilityProxy'] as const;

/** What decides of first objects, section by section. */
export interface FirstObjectsSections {
  /** Whether anything is written. */
  readonly log: Pick<StorageSettings, 'readOnly'>;
  /** Which APIs are served. */
  readonly features: Pick<FeatureSettings, 'featureGates' | 'runtimeConfig'>;
  /** Whether there are roles. */
  readonly authorization: AuthorizationSettings;
  /** Whether there are flow schemas. */
  readonly fairness: Pick<FairnessSettings, 'enablePriorityAndFairness'>;
  /** Whether writes are written down. */
  readonly audit: Pick<AuditSettings, 'auditPolicyFile'>;
  /** Whether there are rules for what is written. */
  readonly admission: Pick<AdmissionSettings, 'admissionControlConfigFile'>;
}

/**
 * Which of the objects a server with these settings would write just so. Where it serves other APIs, audits what
 * it writes, or has rules for what is written, it writes all of them itself.
 */
export function firstObjectsFor(sections: FirstObjectsSections): WhichObjects {
  const { log, features, authorization, fairness, audit, admission } = sections;
  const isUsual =
    features.featureGates.areDefault(OTHER_GATES) &&
    features.runtimeConfig.size === 0 &&
    audit.auditPolicyFile === undefined &&
    admission.admissionControlConfigFile === undefined;
  if (log.readOnly || !isUsual) return NONE;
  const hasRules = usesMode(authorization, 'RBAC');
  const hasFlows = fairness.enablePriorityAndFairness;
  return (resource) => {
    if (resource.startsWith(RULES)) return hasRules;
    return hasFlows || !resource.startsWith(FLOWS);
  };
}

/**
 * Writes nothing where something has been written, or where the program was not built.
 *
 * @param read the file of the objects; undefined: there is none.
 */
export async function writeFirstObjects(
  log: Pick<EventLog, 'append' | 'newest'>,
  which: WhichObjects,
  world: { readonly clock: Clock; readonly random: Random },
  read: () => string | undefined = () => readIfGenerated(FIRST_OBJECTS_FILE),
): Promise<void> {
  if (which === NONE || (await log.newest(NEWEST_TIMEOUT_MS)) !== 0) return;
  const text = read();
  if (text === undefined) return;
  const all = JSON.parse(text) as readonly FirstObject[]; // The build wrote it.
  const events = eventsOf(
    all.filter(({ resource }) => which(resource)),
    world,
  );
  if (events.length > 0) await log.append(events);
}

function eventsOf(
  objects: readonly FirstObject[],
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): readonly ProposedEvent[] {
  const now = clock.now();
  const time = formatTime(now);
  const writer = random.uuid();
  return objects.map(({ resource, path, fieldManager, json }, at) => {
    const uid = random.uuid();
    return {
      ...{ writer, sequence: at + 1, type: 'added', resource, path, uid, time: now },
      ...{ previousResourceVersion: resourceVersion(0), requires: [] },
      json: Buffer.from(json.replaceAll(TIME_PLACE, time).replace(UID_PLACE, uid)),
      ...{ user: USER, verb: 'create', auditID: '', fieldManager },
    };
  });
}
