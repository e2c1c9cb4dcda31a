/**
 * A policy shows its parameters to every user that it refuses, so a user that writes a policy, or a binding,
 * must be allowed to read what it takes for parameters. Without this a user that may write policies reads
 * every Secret in their messages.
 *
 * Upstream it is a rule of the kinds: it cannot be switched off, it is asked of objects that are valid
 * otherwise, and the answer is that of an object that is not valid.
 *
 * In Kubernetes: authz.go of registry/admissionregistration/{validating,mutating}admissionpolicy and of
 * their bindings.
 */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../../api/generated/kinds/admissionregistration-v1.ts';
import { forbiddenField } from '../../../../api/field/field-errors.ts';
import { compareGoStrings } from '../../../../api/json/go-format.ts';
import { andThen, type MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import { invalid, type Status } from '../../../../api/meta/status.ts';
import { storedAt } from '../../../../projections/objects/stored-kinds.ts';
import type { Decision } from '../../../authorization/authorizer.ts';
import { MASTERS_GROUP } from '../../../authorization/rbac/rbac.ts';
import { KindsServed } from '../../../served-resources/served-kinds.ts';
import type { UserInfo } from '../../../request/request.ts';
import type { ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { type AttributesOf, firstOf, stepFor } from '../../kind-steps.ts';

type World = Pick<AdmissionWorld, 'authorizer' | 'served'>;

const GROUP = 'admissionregistration.k8s.io/v1';
const VALIDATING = `${GROUP}/validatingadmissionpolicies` as const;
const MUTATING = `${GROUP}/mutatingadmissionpolicies` as const;
const WRITES = ['CREATE', 'UPDATE'] as const;

type Write = (typeof WRITES)[number];
type PolicyWrite = AttributesOf<ValidatingAdmissionPolicy | MutatingAdmissionPolicy, Write>;
type BindingWrite = AttributesOf<
  ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
  Write
>;
type AnyWrite = PolicyWrite | BindingWrite;

/** Asks whether the writer of a policy, or of a binding, may read the parameters. */
export function parameterRights(world: World): ValidatingPlugin {
  const kinds = new KindsServed(world.served);
  const ofPolicy = (write: PolicyWrite) => judgePolicy({ ...world, kinds }, write);
  const ofBinding = (policies: PolicyPath) => (write: BindingWrite) =>
    judgeBinding({ ...world, kinds }, write, policies);
  return {
    name: 'ParameterRights',
    validatesAt: firstOf(
      stepFor([VALIDATING, MUTATING], WRITES, ofPolicy),
      stepFor(`${GROUP}/validatingadmissionpolicybindings`, WRITES, ofBinding(VALIDATING)),
      stepFor(`${GROUP}/mutatingadmissionpolicybindings`, WRITES, ofBinding(MUTATING)),
    ),
  };
}

type PolicyPath = typeof VALIDATING | typeof MUTATING;

interface Asking extends World {
  readonly kinds: KindsServed;
}

function judgePolicy(asking: Asking, write: PolicyWrite): MaybePromise<Status | undefined> {
  const { paramKind } = write.object.spec;
  if (paramKind === undefined || isMaster(write)) return undefined;
  const old = write.oldObject?.spec.paramKind;
  if (old?.apiVersion === paramKind.apiVersion && old?.kind === paramKind.kind) return undefined;
  const { request } = write;
  const of = { verb: 'get', name: '*', namespace: '*', ...resourceOf(asking, paramKind) };
  return andThen(decided(asking, write, of), (decision) => {
    if (decision.verdict === 'allow') return undefined;
    const { kind = '', apiVersion = '' } = paramKind;
    const which = `(kind=${kind}, apiVersion=${apiVersion})`;
    const lacks = `user ${goUserText(request.user)} must have "get" permission on all objects of the referenced paramKind ${which}`;
    return refused(write, 'spec.paramKind', messageOf(decision) ?? lacks);
  });
}

/** A binding is asked for at each write: upstream compares its references by their addresses in memory. */
function judgeBinding(
  asking: Asking,
  write: BindingWrite,
  policies: PolicyPath,
): MaybePromise<Status | undefined> {
  const { paramRef, policyName = '' } = write.object.spec;
  if (paramRef === undefined || isMaster(write)) return undefined;
  const policy = storedAt(write.objects, policies, `/${policyName}`);
  const paramKind = policy?.spec.paramKind;
  const of = paramKind === undefined ? EVERYTHING : resourceOf(asking, paramKind);
  const { name = '', namespace = '' } = paramRef;
  const verb = name === '' ? 'list' : 'get';
  return andThen(decided(asking, write, { ...of, verb, name, namespace }), (decision) => {
    if (decision.verdict === 'allow') return undefined;
    const user = goUserText(write.request.user);
    const isThere = policy !== undefined;
    const swaps = policies === MUTATING;
    const lacks = lackedBy({ user, verb, policyName, isThere, of, paramKind, swaps });
    return refused(write, 'spec.paramRef', messageOf(decision) ?? lacks);
  });
}

interface Lacking {
  readonly user: string;
  readonly verb: string;
  readonly policyName: string;
  readonly isThere: boolean;
  readonly of: Resource;
  readonly paramKind: ParamKind | undefined;
  /** Of mutating policies upstream says the verb in the place of the user, and the user in that of the verb. */
  readonly swaps: boolean;
}

function lackedBy({ user, verb, policyName, isThere, of, paramKind, swaps }: Lacking): string {
  const all = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
  if (!isThere) return `unable to get policy ${policyName} ${all}`;
  if (paramKind !== undefined && of.resource === '*') {
    const { apiVersion = '', kind = '' } = paramKind;
    return `unable to resolve paramKind &{${apiVersion} ${kind}} ${all}`;
  }
  const on = 'permission on the object referenced by paramRef';
  if (swaps) return `user ${verb} does not have "${user}" ${on}`;
  return `user ${user} does not have "${verb}" ${on}`;
}

interface Resource {
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
}

const EVERYTHING: Resource = { apiGroup: '*', apiVersion: '*', resource: '*' };

/** Of a kind that is not served, everything in its group version. */
function resourceOf({ kinds }: Asking, { apiVersion = '', kind = '' }: ParamKind): Resource {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = kinds.ofKind(apiVersion, kind)?.facts.resource ?? '*';
  return { apiGroup: group, apiVersion: apiVersion.slice(slash + 1), resource };
}

interface Permission extends Resource {
  readonly verb: string;
  readonly name: string;
  readonly namespace: string;
}

function decided(
  { authorizer }: World,
  { request: { user, info } }: AnyWrite,
  permission: Permission,
): MaybePromise<Decision> {
  const selectors = { subresource: '', fieldSelector: '', labelSelector: '' };
  return authorizer.authorize({ user, request: { ...info, ...permission, ...selectors } });
}

function messageOf(decision: Decision): string | undefined {
  return decision.verdict === 'allow' ? undefined : decision.error?.message;
}

/** They may do everything whatever the authorizers say. */
function isMaster({ request }: AnyWrite): boolean {
  return request.user.groups.includes(MASTERS_GROUP);
}

function refused({ served, object }: AnyWrite, field: string, why: string): Status {
  const { group, kind } = served.definition.storageFacts;
  const { name = '' } = object.metadata;
  return invalid({ group, resource: kind }, name, [forbiddenField(field, why)]);
}

/** As Go shows it: `%v` of a user.DefaultInfo. */
function goUserText({ name, uid, groups, extra }: UserInfo): string {
  const entries = Object.entries(extra)
    .sort(([one], [other]) => compareGoStrings(one, other))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`;
}
