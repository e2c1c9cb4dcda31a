/**
 * Registers the built-in group versions that this server serves: an APIService without a service for
 * each, as `kubectl get apiservices` lists them. That is done once, at the start: one that a client
 * changes or deletes afterwards stays so until a server starts anew, and one without the label is left
 * alone at all times.
 *
 * In Kubernetes: apiServicesToRegister, kubernetes/pkg/controlplane/apiserver, and the entries of
 * kube-aggregator's autoregister that are synced on start.
 */
import type { APIService, APIServiceSpec } from '../../api/generated/kinds/apiregistration-v1.ts';
import { sameValue } from '../../api/kinds/rules/same-value.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { builtInPriorityOf } from '../../api/scheme/version-priority.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { nameOf } from '../../streams/event.ts';
import type { Loopback, LoopbackRequest } from '../loopback/loopback.ts';
import { API_SERVICES, apiServiceName, MANAGED_LABEL } from './definitions/crd-registration.ts';

/** A version of an API group, as `apps` and `v1`. */
export interface GroupVersion {
  /** '' for the legacy group. */
  readonly group: string;
  /** Without its group: `v1`. */
  readonly version: string;
}

export interface LocalApiServicesParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'of'>;
  /** Of built-in resources that are served; may name one several times. */
  readonly groupVersions: readonly GroupVersion[];
}

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
const ON_START = 'onstart';
/** Another client or server made, changed or removed it at the same time, which wins. */
const LOST_RACE_CODES = [404, 409];

/** When all views are filled. @throws Error when one cannot be written; to be called again then. */
export async function registerBuiltInGroups(parts: LocalApiServicesParts): Promise<void> {
  const wanted = specsOf(parts.groupVersions);
  const requests: LoopbackRequest[] = [];
  const there = new Set<string>();
  for (const stored of parts.objects.of(API_SERVICES).inOrder('')) {
    const name = nameOf(stored.path);
    there.add(name);
    const current = parsedObject(stored) as ObjectOf<APIService>; // Stored as one.
    if (current.metadata.labels?.[MANAGED_LABEL] !== ON_START) continue;
    const request = correction(current, wanted.get(name));
    if (request !== undefined) requests.push(request);
  }
  for (const [name, spec] of wanted) if (!there.has(name)) requests.push(creation(name, spec));
  const answers = await Promise.all(requests.map((request) => parts.loopback(request)));
  for (const answer of answers) {
    if (answer.kind !== 'Status' || answer.status.code < 400) continue;
    if (LOST_RACE_CODES.includes(answer.status.code)) continue;
    throw new Error(`an APIService could not be written: ${answer.status.message ?? ''}`);
  }
}

/** By the names of their APIServices; group versions to which Kubernetes gives no priority have none. */
function specsOf(groupVersions: readonly GroupVersion[]): Map<string, APIServiceSpec> {
  const specs = new Map<string, APIServiceSpec>();
  for (const { group, version } of groupVersions) {
    const priority = builtInPriorityOf(group, version);
    if (priority === undefined) continue;
    const { group: groupPriorityMinimum, version: versionPriority } = priority;
    const spec = { version, groupPriorityMinimum, versionPriority };
    specs.set(apiServiceName(group, version), group === '' ? spec : { group, ...spec });
  }
  return specs;
}

function creation(name: string, spec: APIServiceSpec): LoopbackRequest {
  const metadata = { name, labels: { [MANAGED_LABEL]: ON_START } };
  const head = { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' };
  return { method: 'POST', path: PATH, body: { ...head, metadata, spec: { ...spec } } };
}

/** @param spec undefined: the group version is not served any more. */
function correction(
  current: ObjectOf<APIService>,
  spec: APIServiceSpec | undefined,
): LoopbackRequest | undefined {
  const { name = '', uid = '' } = current.metadata;
  const path = `${PATH}/${name}`;
  if (spec === undefined) {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    return { method: 'DELETE', path, body };
  }
  if (sameValue({ ...current.spec }, { ...spec })) return undefined;
  return { method: 'PUT', path, body: { ...current, spec } };
}
