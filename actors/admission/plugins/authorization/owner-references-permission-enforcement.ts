/**
 * OwnerReferencesPermissionEnforcement: a client that gives an object an owner must be allowed to
 * delete the object, since the owner's end will be its own; and a client that makes it hold up the
 * owner's end must be allowed to set the owner's finalizers.
 *
 * In Kubernetes: plugin/pkg/admission/gc.
 */
import type { KubeObject, OwnerReference } from '../../../../api/meta/object-meta.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import type { Authorizer, Decision } from '../../../authorization/authorizer.ts';
import type { RequestInfo } from '../../../request/request.ts';
import { KindsServed } from '../../../served-resources/served-kinds.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';

type World = Pick<AdmissionWorld, 'authorizer' | 'served'>;

export function ownerReferencesPermissionEnforcement(world: World): ValidatingPlugin {
  const kinds = new KindsServed(world.served);
  const validate: AdmissionStep = (attributes) => {
    const { object, oldObject } = attributes;
    if (object === undefined || !isChangingOwners(object, oldObject)) return undefined;
    return problemOf({ authorizer: world.authorizer, kinds }, attributes, object);
  };
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validatesAt({ served, operation, subresource }) {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
      // Kubelets used to send statuses without owners, and a status changes none.
      const isPodStatus = served.definition.storage === 'core/pods' && subresource === 'status';
      return isPodStatus ? undefined : validate;
    },
  };
}

interface Parts {
  readonly authorizer: Authorizer;
  readonly kinds: KindsServed;
}

async function problemOf(
  parts: Parts,
  attributes: AdmissionAttributes,
  object: KubeObject,
): Promise<Status | undefined> {
  if (attributes.operation !== 'CREATE') {
    const mayDelete = await ask(parts, attributes, deletionOf(attributes));
    if (mayDelete.verdict !== 'allow') {
      const why = `cannot set an ownerRef on a resource you can't delete: ${shown(mayDelete)}`;
      return refusedAt(attributes, why);
    }
  }
  const blocking = newBlockingReferences(object, attributes.oldObject);
  if (blocking.length === 0) return undefined;
  const all = finalizersOf('*', '*', '*');
  const mayAll = await ask(parts, attributes, { ...all, name: '*', namespace: '' });
  if (mayAll.verdict === 'allow') return undefined;
  for (const reference of blocking) {
    const problem = await blockingProblem(parts, attributes, reference);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function blockingProblem(
  parts: Parts,
  attributes: AdmissionAttributes,
  { apiVersion, kind, name }: OwnerReference,
): Promise<Status | undefined> {
  const owner = parts.kinds.ofKind(apiVersion, kind);
  if (owner === undefined) {
    const what = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    const why = mappingProblem(apiVersion, kind);
    return refusedAt(
      attributes,
      `cannot set blockOwnerDeletion in this case because ${what}: ${why}`,
    );
  }
  const { group, version, resource } = owner.facts;
  // An owner that has a namespace is in that of what it owns.
  const namespace = owner.definition.namespaced ? attributes.namespace : '';
  const asked = { ...finalizersOf(group, version, resource), name, namespace };
  const decision = await ask(parts, attributes, asked);
  if (decision.verdict === 'allow') return undefined;
  const what = "an ownerReference refers to a resource you can't set finalizers on";
  return refusedAt(attributes, `cannot set blockOwnerDeletion if ${what}: ${shown(decision)}`);
}

function mappingProblem(apiVersion: string, kind: string): string {
  const isName = apiVersion.split('/').length <= 2;
  if (!isName) return `unexpected GroupVersion string: ${apiVersion}`;
  return `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
}

function ask(
  { authorizer }: Parts,
  { request: { user, info } }: AdmissionAttributes,
  about: Partial<RequestInfo>,
): Decision | Promise<Decision> {
  return authorizer.authorize({ user, request: { ...info, ...about } });
}

function deletionOf(attributes: AdmissionAttributes): Partial<RequestInfo> {
  const { namespace, subresource } = attributes;
  const { group, version, resource } = attributes.served.facts;
  const name = attributes.name || (attributes.object?.metadata.name ?? '');
  return {
    ...{ verb: 'delete', apiGroup: group, apiVersion: version, resource },
    ...{ subresource, name, namespace },
  };
}

function finalizersOf(
  apiGroup: string,
  apiVersion: string,
  resource: string,
): Partial<RequestInfo> {
  return { verb: 'update', apiGroup, apiVersion, resource, subresource: 'finalizers' };
}

/** As Go prints a reason and an error. */
function shown(decision: Decision): string {
  const error = decision.verdict === 'allow' ? undefined : decision.error;
  return `${decision.reason}, ${error?.message ?? '<nil>'}`;
}

function isChangingOwners(object: KubeObject, old: KubeObject | undefined): boolean {
  const { ownerReferences: owners = [] } = object.metadata;
  return !sameValue(owners, old?.metadata.ownerReferences ?? []);
}

function newBlockingReferences(object: KubeObject, old: KubeObject | undefined): OwnerReference[] {
  const { ownerReferences: owners = [] } = object.metadata;
  const before = new Map((old?.metadata.ownerReferences ?? []).map((one) => [one.uid, one]));
  return owners.filter(
    (one) => one.blockOwnerDeletion === true && before.get(one.uid)?.blockOwnerDeletion !== true,
  );
}
