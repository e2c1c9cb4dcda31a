/**
 * What a log knows of its writes as audit events, one JSON object a line, for programs that read the audit
 * log of a kube-apiserver, as Google's Kubernetes History Inspector (KHI) does.
 *
 * An audit log is written by requests and the event log by their effects, so these events say less than those
 * of a running audit: no reads, no refused requests, no addresses, programs, groups or bodies of requests, and
 * one event for each object where a request changed several. What an event does not know it leaves out.
 *
 * In Kubernetes: Event of audit.k8s.io/v1, apiserver/pkg/apis/audit/v1.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import { type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { formatMicroTime } from '../../../actors/audit/audit-event.ts';
import { NODE_PORTS } from '../../../actors/registry/services/service-claims.ts';
import { FORK_GROUP } from '../../../api/everwatch/fork-facts.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import { objectOf } from '../../../projections/past/object-revisions.ts';
import {
  type EventType,
  isChange,
  type LoggedChange,
  type LoggedEvent,
  nameOf,
  namespaceOf,
} from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { InterruptedError } from '../tool/interruption.ts';

/** The key of the annotation that names the place of the write in the log. */
const VERSION_KEY = 'dev.everwatch/resource-version';
const MANAGER_KEY = 'dev.everwatch/field-manager';
/** On what a recorder saw of another cluster, whose requests it does not know. */
const OBSERVED_KEY = 'dev.everwatch/observed';

export interface AuditRequest {
  readonly source: LogSource;
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly signal: AbortSignal;
  readonly chooses: (event: LoggedEvent) => boolean;
  /** Told how many of how many versions were read. */
  readonly progress: (done: number, all: number) => void;
}

/** The events of a range of a log, as lines in the order of the log. */
export async function* auditLinesOf(request: AuditRequest): AsyncGenerator<Buffer, void> {
  const { source, from, to, signal, chooses, progress } = request;
  if (from > to) return;
  for await (const batch of source.events({ from, to, effectiveOnly: true }, signal)) {
    if (signal.aborted) throw new InterruptedError();
    const lines: string[] = [];
    for (const { event } of batch) {
      if (!isChange(event) || !isServed(event) || !chooses(event) || isFirstOfTwo(event)) continue;
      lines.push(`${formatJson(auditEventOf(event))}\n`);
    }
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    progress((batch.at(-1)?.event.resourceVersion ?? from) - from + 1, to - from + 1);
  }
  if (signal.aborted) throw new InterruptedError();
}

/** Servers tell one another things by records of their own, which no request can name. */
function isServed({ resource }: LoggedEvent): boolean {
  return (
    resource !== NODE_PORTS &&
    (!resource.startsWith(`${FORK_GROUP}/`) || resource === `${FORK_GROUP}/forks`)
  );
}

/** A delete of what has a grace period and goes at once stores the object as it goes, and is told by its removal, which follows. */
export function isFirstOfTwo(event: LoggedChange): boolean {
  if (event.type !== 'modified' || event.resource !== PODS || !ENDING.has(event.verb)) return false;
  const metadata = objectAt(objectOf(event), 'metadata');
  return metadata?.['deletionGracePeriodSeconds'] === 0 && metadata['finalizers'] === undefined;
}

const PODS = 'core/pods';
/** An eviction is a create. */
const ENDING: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'create']);

/** Whose contents an audit log should not have, as KHI's own example of an audit policy says. */
const SECRET: ReadonlySet<string> = new Set(['core/secrets', 'core/configmaps']);

const CREATED = 201;
const OK = 200;

/** One write as the audit event of its last stage. */
export function auditEventOf(event: LoggedChange): JsonObject {
  const { type, user, auditID, resourceVersion, fieldManager } = event;
  const object = objectOf(event);
  const asked = askedIn(event, object);
  const isShown = !SECRET.has(event.resource);
  const time = formatMicroTime(event.time);
  const annotations = {
    ...(fieldManager === '' ? {} : { [MANAGER_KEY]: fieldManager }),
    ...(asked.isObserved ? { [OBSERVED_KEY]: event.verb } : {}),
    [VERSION_KEY]: String(resourceVersion),
  };
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: isShown ? 'RequestResponse' : 'Metadata',
    auditID: auditID === '' ? `resourceVersion:${String(resourceVersion)}` : auditID,
    stage: 'ResponseComplete',
    requestURI: asked.uri,
    verb: asked.verb,
    user: user === '' ? {} : { username: user },
    objectRef: asked.objectRef,
    responseStatus: { metadata: {}, code: type === 'added' ? CREATED : OK },
    ...(isShown ? { responseObject: responseOf(asked.verb, event, object) } : {}),
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    annotations,
  };
}

interface Asked {
  readonly verb: string;
  readonly uri: string;
  readonly objectRef: JsonObject;
  /** Nothing was asked of this log's servers: a recorder saw the change in another cluster. */
  readonly isObserved: boolean;
}

const VERB_OF: Readonly<Record<EventType, string>> = {
  added: 'create',
  modified: 'update',
  deleted: 'delete',
};

function askedIn(event: LoggedChange, object: JsonObject): Asked {
  const { resource: storage, path, uid, type } = event;
  const isObserved = event.verb === 'list' || event.verb === 'relist' || event.verb === '';
  const subresource = isObserved ? '' : subresourceOf(event, object);
  // What a creation changes beside its object, as a quota, was not created by it.
  const isBeside = event.verb === 'create' && type !== 'added' && subresource === '';
  const verb = isObserved || isBeside ? VERB_OF[type] : event.verb;
  const version = stringAt(object, 'apiVersion');
  const [apiGroup, apiVersion] = version.includes('/') ? version.split('/') : ['', version];
  const resource = storage.slice(storage.indexOf('/') + 1);
  const name = nameOf(path);
  const isOfNamespace = storage === 'core/namespaces' && verb !== 'create';
  const namespace = isOfNamespace ? name : namespaceOf(path);
  const isCollection = (verb === 'create' && subresource === '') || verb === 'deletecollection';
  const uri = [
    apiGroup === '' ? `/api/${version}` : `/apis/${version}`,
    ...(namespaceOf(path) === '' ? [] : [`namespaces/${encodeURIComponent(namespace)}`]),
    resource,
    ...(isCollection ? [] : [encodeURIComponent(name)]),
    ...(subresource === '' ? [] : [subresource]),
  ].join('/');
  const objectRef = { resource, namespace, name, uid, apiGroup, apiVersion, subresource };
  const known = Object.entries(objectRef).filter(([, text]) => text !== '');
  return { verb, uri, objectRef: Object.fromEntries(known), isObserved };
}

/**
 * The log does not say which subresource was written. Of a Pod that is there, a POST can only have been one to
 * these two; a status is written with the verbs of the object, and stands in the answer.
 */
function subresourceOf({ resource, type, verb }: LoggedChange, object: JsonObject): string {
  if (verb !== 'create' || type === 'added' || resource !== PODS) return '';
  const isEnding = stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== '';
  return type === 'deleted' || isEnding ? 'eviction' : 'binding';
}

/** The object as the log has it, with its version; deletions of collections answer with a list. */
function responseOf(verb: string, event: LoggedChange, object: JsonObject): JsonObject {
  const metadata = {
    ...objectAt(object, 'metadata'),
    resourceVersion: String(event.resourceVersion),
  };
  const whole = { ...object, metadata };
  if (verb !== 'deletecollection') return whole;
  const { apiVersion } = object;
  const kind = `${stringAt(object, 'kind')}List`;
  return { kind, apiVersion: apiVersion ?? '', metadata: {}, items: [whole] };
}
