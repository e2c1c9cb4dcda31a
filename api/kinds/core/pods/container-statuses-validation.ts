/**
 * How the containers of a pod are, in three lists.
 *
 * In Kubernetes: ValidateContainerStateTransition, validateContainerStatusUsers and
 * validateContainerStatusAllocatedResourcesStatus, pkg/apis/core/validation.
 */
import type { PodSpec, PodStatus } from '../../../generated/kinds/core-v1.ts';
import {
  isNumber,
  type JsonObject,
  type JsonValue,
  listAt,
  int32At,
  objectAt,
  stringAt,
} from '../../../json/json.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { presentAt } from '../../pod-spec/pod-rules.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';

const LISTS = [
  { statuses: 'containerStatuses', containers: 'containers' },
  { statuses: 'initContainerStatuses', containers: 'initContainers' },
  { statuses: 'ephemeralContainerStatuses', containers: undefined },
] as const;
const HEALTHS = ['Healthy', 'Unhealthy', 'Unknown'];
const MESSAGE_BYTES_MAX = 1024;
const ID_MAX = 2 ** 31 - 1;

export interface ContainerStatusErrors {
  /** About containers that run again. */
  readonly transitions: FieldErrors;
  readonly contents: FieldErrors;
}

export function validateContainerStatuses(
  status: PodStatus,
  oldStatus: PodStatus,
  spec: PodSpec,
): ContainerStatusErrors {
  const system = spec.os === undefined ? 'linux' : spec.os.name;
  return {
    transitions: LISTS.flatMap((list) => validateTransitions(list, status, oldStatus, spec)),
    contents: [
      ...LISTS.flatMap(({ statuses }) =>
        objectsAt(status, statuses).flatMap((one, index) =>
          validateUser(`${indexPath(`status.${statuses}`, index)}.user.linux`, one, system),
        ),
      ),
      ...LISTS.flatMap((list) => validateAllocations(list, status, spec)),
    ],
  };
}

type List = (typeof LISTS)[number];

/** A container that has ended stays ended, unless it is one that restarts. */
function validateTransitions(
  { statuses, containers }: List,
  status: PodStatus,
  oldStatus: PodStatus,
  spec: PodSpec,
): FieldErrors {
  if (containers !== undefined && allRestart(spec)) return [];
  const now = objectsAt(status, statuses);
  return objectsAt(oldStatus, statuses).flatMap((old, index) => {
    const end = presentAt(objectAt(old, 'state'), 'terminated');
    if (end === undefined) return [];
    const isRunning = now.some(
      (one) =>
        one['name'] === old['name'] &&
        presentAt(objectAt(one, 'state'), 'terminated') === undefined,
    );
    const container = objectsAt(spec, containers ?? '').find((one) => one['name'] === old['name']);
    const mayRun =
      container !== undefined && restarts(container, spec, int32At(end, 'exitCode') ?? 0);
    if (!isRunning || mayRun) return [];
    const field = `${indexPath(`status.${statuses}`, index)}.state`;
    return [forbiddenField(field, 'may not be transitioned to non-terminated state')];
  });
}

function allRestart(spec: PodSpec): boolean {
  return ['initContainers', 'containers'].some((key) =>
    objectsAt(spec, key).some((container) =>
      objectsAt(container, 'restartPolicyRules').some(
        ({ action }) => action === 'RestartAllContainers',
      ),
    ),
  );
}

function restarts(container: JsonObject, spec: PodSpec, exitCode: number): boolean {
  const own = stringAt(container, 'restartPolicy');
  if (own !== '') {
    const rule = objectsAt(container, 'restartPolicyRules').find((one) => matches(one, exitCode));
    if (rule?.['action'] === 'Restart') return true;
  }
  const policy = ['Always', 'OnFailure', 'Never'].includes(own) ? own : (spec.restartPolicy ?? '');
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

function matches(rule: JsonObject, exitCode: number): boolean {
  const codes = objectAt(rule, 'exitCodes');
  const isListed = listAt(codes, 'values').includes(exitCode);
  const operator = stringAt(codes, 'operator');
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
}

function validateUser(field: string, status: JsonObject, system: string): FieldErrors {
  const user = presentAt(objectAt(status, 'user'), 'linux');
  if (user === undefined) return [];
  if (system === 'windows') return [forbiddenField(field, 'cannot be set for a windows pod')];
  if (system !== 'linux') return [];
  return [
    ...validateId(`${field}.uid`, user['uid']),
    ...validateId(`${field}.gid`, user['gid']),
    ...listAt(user, 'supplementalGroups').flatMap((id, index) =>
      validateId(indexPath(`${field}.supplementalGroups`, index), id),
    ),
  ];
}

function validateId(field: string, id: JsonValue | undefined): FieldErrors {
  if (!isNumber(id) || (id >= 0 && id <= ID_MAX)) return [];
  return [invalidValue(field, id, `must be between 0 and ${String(ID_MAX)}, inclusive`)];
}

function validateAllocations(
  { statuses, containers }: List,
  status: PodStatus,
  spec: PodSpec,
): FieldErrors {
  return objectsAt(status, statuses).flatMap((one, index) => {
    const field = `${indexPath(`status.${statuses}`, index)}.allocatedResourcesStatus`;
    const allocated = objectsAt(one, 'allocatedResourcesStatus');
    if (containers === undefined) {
      const detail = 'must not be specified in container status';
      return allocated.length === 0 ? [] : [forbiddenField(field, detail)];
    }
    const container = objectsAt(spec, containers).find(({ name }) => name === one['name']);
    return allocated.flatMap((resource, at) => [
      ...validateAsked(`${indexPath(field, at)}.name`, stringAt(resource, 'name'), container),
      ...validateDevices(`${indexPath(field, at)}.resources`, resource),
    ]);
  });
}

function validateAsked(
  field: string,
  name: string,
  container: JsonObject | undefined,
): FieldErrors {
  if (container === undefined) return [];
  const resources = objectAt(container, 'resources');
  if (!name.startsWith('claim:')) {
    return Object.hasOwn(objectAt(resources, 'requests') ?? {}, name)
      ? []
      : [invalidValue(field, name, "must match one of the container's resource requests")];
  }
  const claims = objectsAt(resources, 'claims').map((claim) => {
    const request = stringAt(claim, 'request');
    return `claim:${stringAt(claim, 'name')}${request === '' ? '' : `/${request}`}`;
  });
  const detail =
    "must match one of the container's resource claims in a format " +
    "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return claims.includes(name) ? [] : [invalidValue(field, name, detail)];
}

function validateDevices(field: string, resource: JsonObject): FieldErrors {
  const ids = new Set<string>();
  return objectsAt(resource, 'resources').flatMap((device, index) => {
    const path = indexPath(field, index);
    const id = stringAt(device, 'resourceID');
    const health = stringAt(device, 'health');
    const isTaken = ids.has(id);
    ids.add(id);
    return [
      ...(HEALTHS.includes(health) ? [] : [notSupported(`${path}.health`, health, HEALTHS)]),
      ...validateMessage(`${path}.message`, device),
      ...(isTaken ? [duplicateValue(`${path}.resourceID`, id)] : []),
    ];
  });
}

function validateMessage(field: string, device: JsonObject): FieldErrors {
  if (isMissing(device['message'])) return [];
  const message = stringAt(device, 'message');
  if (message === '') return [required(field, 'must be non-empty if specified')];
  return Buffer.byteLength(message) > MESSAGE_BYTES_MAX ? [tooLong(field, MESSAGE_BYTES_MAX)] : [];
}
