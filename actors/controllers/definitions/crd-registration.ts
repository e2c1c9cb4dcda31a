/**
 * Keeps an APIService for each group version of which a custom resource definition serves
 * something, so that clients find it among all others. It says that this server serves it itself.
 *
 * One that a client made, or whose label was taken away, is left alone.
 * In Kubernetes: crdregistration, pkg/controlplane/controller, and autoregister, kube-aggregator.
 */
import type {
  APIService,
  APIServiceSpec,
} from '../../../api/generated/kinds/apiregistration-v1.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { storedAt } from '../../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../../streams/event.ts';
import type { Loopback, LoopbackRequest } from '../../loopback/loopback.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import type { WorkOutcome } from '../work-queue.ts';

/** Where APIServices lie in the log. */
export const API_SERVICES = 'apiregistration.k8s.io/apiservices';

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Says how the server keeps an APIService: `true` for as long as it runs, `onstart` once. */
export const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const MANAGED = 'true';
/** Behind everything that is built in. */
const GROUP_PRIORITY = 1_000;
const VERSION_PRIORITY = 100;

export interface RegistrationParts {
  readonly objects: ObjectReads;
  readonly loopback: Loopback;
  readonly isServed: (group: string, version: string) => boolean;
}

/** `v1` and `example.com` make `v1.example.com`. */
export function apiServiceName(group: string, version: string): string {
  return `${version}.${group}`;
}

/** Whether the APIService is one of those that are kept here, or was. */
export function isManaged({ metadata }: Pick<APIService, 'metadata'>): boolean {
  return metadata.labels?.[MANAGED_LABEL] === MANAGED;
}

/** Makes, corrects or removes the APIService of that name. */
export async function registerGroupVersion(
  { objects, loopback, isServed }: RegistrationParts,
  name: string,
): Promise<WorkOutcome> {
  const dot = name.indexOf('.');
  const version = name.slice(0, dot);
  const group = name.slice(dot + 1);
  const path = pathOf('', name);
  const current = storedAt(objects, 'apiregistration.k8s.io/v1/apiservices', path);
  const spec = isServed(group, version) ? specOf(group, version) : undefined;
  const request = requestFor(name, current, spec);
  if (request === undefined) return 'done';
  const answer = await loopback(request);
  if (answer.kind !== 'Status') return 'done';
  // It was made, changed or removed meanwhile: word of that comes too.
  const { code } = answer.status;
  return code === 200 || code === 404 || code === 409 ? 'done' : 'later';
}

function specOf(group: string, version: string): APIServiceSpec {
  return {
    group,
    version,
    groupPriorityMinimum: GROUP_PRIORITY,
    versionPriority: VERSION_PRIORITY,
  };
}

/** @param spec undefined: there should be none. */
function requestFor(
  name: string,
  current: APIService | undefined,
  spec: APIServiceSpec | undefined,
): LoopbackRequest | undefined {
  const head = { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' };
  const path = `${PATH}/${name}`;
  if (current === undefined) {
    if (spec === undefined) return undefined;
    const metadata = { name, labels: { [MANAGED_LABEL]: MANAGED } };
    return { method: 'POST', path: PATH, body: { ...head, metadata, spec } };
  }
  if (!isManaged(current)) return undefined;
  if (spec === undefined) {
    const { uid = '' } = current.metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    return { method: 'DELETE', path, body };
  }
  if (sameValue(current.spec, spec)) return undefined;
  return { method: 'PUT', path, body: { ...current, spec } };
}
