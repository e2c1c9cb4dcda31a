/**
 * Rights to devices, which upstream asks for in the rules of the kinds: they cannot be switched off, and one refusal
 * tells them and what the rules say.
 *
 * - Administrative access, which sees the devices of all others, is for namespaces whose label says so.
 * - What became of a claim is written by many: the scheduler allocates, drivers tell how their devices are. Each
 *   part needs a right of its own, to `resourceclaims/binding` and to `resourceclaims/driver`, beside the one
 *   to the status.
 *
 * In Kubernetes: registry/resource/utils.go, and the strategies of resourceclaim and resourceclaimtemplate.
 */
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceClaim,
  ResourceClaim,
  ResourceClaimStatus,
} from '../../../../api/generated/kinds/resource-v1.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
} from '../../../../api/field/field-errors.ts';
import { items } from '../../../../api/json/go-values.ts';
import { compareGoStrings } from '../../../../api/json/go-format.ts';
import { sameStruct } from '../../../../api/kinds/rules/same-struct.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { isDns1123Subdomain } from '../../../../api/meta/names.ts';
import { forbidden } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { NODE_NAME } from '../../../authentication/extra-keys.ts';
import { serviceAccountOf } from '../../../authentication/service-account-names.ts';
import { type Decision, refusalText } from '../../../authorization/authorizer.ts';
import type { UserInfo } from '../../../request/request.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import type { RightsPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { type AttributesOf, firstOf, rightsFor } from '../../kind-steps.ts';

const V1 = 'io.k8s.api.resource.v1';
const CLAIMS = 'resource.k8s.io/v1/resourceclaims';
const TEMPLATES = 'resource.k8s.io/v1/resourceclaimtemplates';
const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';
const ADMIN_NEEDS = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;

type StatusWrite = AttributesOf<ResourceClaim, 'UPDATE'>;
type World = Pick<AdmissionWorld, 'authorizer'>;

/** Asks for the rights to administrative access, and to the parts of what became of a claim. */
export function deviceRights(world: World): RightsPlugin {
  return {
    name: 'DeviceRights',
    rightsAt: firstOf(
      rightsFor(CLAIMS, ['CREATE'], (write) => claimProblems(write, write.object.spec.devices)),
      rightsFor(TEMPLATES, ['CREATE'], (write) =>
        claimProblems(write, write.object.spec.spec.devices),
      ),
      rightsFor(`${CLAIMS}/status`, ['UPDATE'], async (write) => [
        ...grantProblems(write),
        ...(await bindingProblems(world, write)),
        // Without an allocation what its drivers tell is dropped.
        ...(write.object.status.allocation === undefined ? [] : await driverProblems(world, write)),
      ]),
    ),
  };
}

/** The path is that of a claim, in templates too. */
function claimProblems(where: Where, { requests }: DeviceClaim): FieldErrors {
  const at = items(requests).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (at < 0 || isForAdmins(where)) return [];
  return [forbiddenField(`spec.devices.requests[${String(at)}].adminAccess`, ADMIN_NEEDS)];
}

/** A device that is given with administrative access; what was given stays. */
function grantProblems(write: StatusWrite): FieldErrors {
  if (grantedAt(write.oldObject.status) >= 0) return [];
  const at = grantedAt(write.object.status);
  if (at < 0 || isForAdmins(write)) return [];
  const path = `status.allocation.devices.results[${String(at)}].adminAccess`;
  return [forbiddenField(path, ADMIN_NEEDS)];
}

function grantedAt({ allocation }: ResourceClaimStatus): number {
  return items(allocation?.devices.results).findIndex(({ adminAccess }) => adminAccess === true);
}

type Where = Pick<AdmissionAttributes, 'objects' | 'namespace'>;

function isForAdmins({ objects, namespace }: Where): boolean {
  return objects.get('core/namespaces', pathOf('', namespace))?.labels?.[ADMIN_LABEL] === 'true';
}

async function bindingProblems(world: World, write: StatusWrite): Promise<FieldErrors> {
  const [now, old] = [write.object.status, write.oldObject.status];
  const isSame =
    sameStruct(`${V1}.AllocationResult`, now.allocation, old.allocation) &&
    sameValue(now.reservedFor, old.reservedFor);
  if (isSame) return [];
  const { verb } = write.request.info;
  const of = { verb, subresource: 'binding', namespace: '', name: '' };
  const lacks = await lackedRight(world, write, of);
  if (lacks === undefined) return [];
  const needs = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`;
  return [forbiddenField('status.allocation', `${needs}: ${lacks}`)];
}

/** A driver on the node of the claim may have the right for that node alone. */
async function driverProblems(world: World, write: StatusWrite): Promise<FieldErrors> {
  const { request, object, oldObject, namespace } = write;
  const { verb } = request.info;
  const isThere = runsOn(request.user, nodeOf(object.status.allocation));
  const verbs = [...(isThere ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`];
  const problems: FieldError[] = [];
  for (const name of changedDrivers(object.status, oldObject.status)) {
    let first: string | undefined;
    let isAllowed = false;
    for (const one of verbs) {
      const of = { verb: one, subresource: 'driver', namespace, name };
      const lacks = await lackedRight(world, write, of);
      first ??= lacks;
      isAllowed = lacks === undefined;
      if (isAllowed) break;
    }
    if (isAllowed) continue;
    const needs = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    problems.push(forbiddenField('status.devices', `${needs}: ${first ?? ''}`));
  }
  return problems;
}

/** Of devices that came, went or changed. */
function changedDrivers(now: ResourceClaimStatus, old: ResourceClaimStatus): string[] {
  const before = new Map(items(old.devices).map((device) => [deviceKey(device), device]));
  const changed = new Set<string>();
  for (const device of items(now.devices)) {
    const was = before.get(deviceKey(device));
    before.delete(deviceKey(device));
    if (!sameStruct(`${V1}.AllocatedDeviceStatus`, was, device)) changed.add(device.driver);
  }
  for (const { driver } of before.values()) changed.add(driver);
  return [...changed].sort(compareGoStrings);
}

function deviceKey({ driver, pool, device, shareID = '' }: AllocatedDeviceStatus): string {
  return JSON.stringify([driver, pool, device, shareID]);
}

/** '' where its devices are not of one node that is told by its name. */
function nodeOf(allocation: AllocationResult | undefined): string {
  const [term, ...others] = items(allocation?.nodeSelector?.nodeSelectorTerms);
  if (term === undefined || others.length > 0 || items(term.matchExpressions).length > 0) return '';
  const [field, ...more] = items(term.matchFields);
  if (field?.key !== 'metadata.name' || field.operator !== 'In' || more.length > 0) return '';
  const [name = '', ...names] = items(field.values);
  return names.length > 0 ? '' : name;
}

/** Whether it is a service account whose token is of a pod on that node. */
function runsOn({ name, extra }: UserInfo, node: string): boolean {
  if (node === '' || serviceAccountOf(name) === undefined) return false;
  const [told = '', ...more] = extra[NODE_NAME] ?? [];
  return more.length === 0 && told === node && isDns1123Subdomain(told);
}

interface Permission {
  readonly verb: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The refusal, as the client would be told; undefined: the user has the right. */
async function lackedRight(
  { authorizer }: World,
  { request: { user, info } }: AdmissionAttributes,
  permission: Permission,
): Promise<string | undefined> {
  const asked = { ...info, ...permission };
  const decision = await authorizer.authorize({ user, request: asked });
  if (decision.verdict === 'allow') return undefined;
  const about = { group: info.apiGroup, resource: info.resource };
  const why = refusalText({ user, request: asked }, reasonOf(decision));
  return forbidden(about, permission.name, why).message;
}

function reasonOf({ reason, ...decision }: Decision): string {
  const error = decision.verdict === 'allow' ? undefined : decision.error?.message;
  if (error === undefined) return reason;
  return reason === '' ? error : `${error}: ${reason}`;
}
