/**
 * How the containers of a pod are, in three lists.
 *
 * In Kubernetes: ValidateContainerStateTransition, validateContainerStatusUsers and
 * validateContainerStatusAllocatedResourcesStatus, pkg/apis/core/validation.
 */
import { firstNamed } from '../../../json/among.ts';
import type {
  Container,
  ContainerRestartRule,
  ContainerStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../../generated/kinds/core-v1.ts';
import { items, type Int64 } from '../../../json/go-values.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';

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
        items(status[statuses]).flatMap((one, index) =>
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
  // Of several of a name one that runs counts.
  const running = items(status[statuses]).filter(({ state }) => state.terminated === undefined);
  return items(oldStatus[statuses]).flatMap((old, index) => {
    const end = old.state.terminated;
    if (end === undefined) return [];
    const isRunning = firstNamed(running, old.name) !== undefined;
    const container = containerOf(spec, containers, old.name);
    const mayRun = container !== undefined && restarts(container, spec, end.exitCode);
    if (!isRunning || mayRun) return [];
    const field = `${indexPath(`status.${statuses}`, index)}.state`;
    return [forbiddenField(field, 'may not be transitioned to non-terminated state')];
  });
}

function containerOf(spec: PodSpec, list: List['containers'], name: string): Container | undefined {
  return list === undefined ? undefined : firstNamed(items(spec[list]), name);
}

function allRestart({ initContainers, containers }: PodSpec): boolean {
  return [initContainers, containers].some((list) =>
    items(list).some(({ restartPolicyRules }) =>
      items(restartPolicyRules).some(({ action }) => action === 'RestartAllContainers'),
    ),
  );
}

function restarts(container: Container, spec: PodSpec, exitCode: number): boolean {
  const own = container.restartPolicy ?? '';
  if (own !== '') {
    const rule = items(container.restartPolicyRules).find((one) => matches(one, exitCode));
    if (rule?.action === 'Restart') return true;
  }
  const policy = ['Always', 'OnFailure', 'Never'].includes(own) ? own : (spec.restartPolicy ?? '');
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

function matches({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  const isListed = items(exitCodes?.values).includes(exitCode);
  const operator = exitCodes?.operator;
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
}

function validateUser(field: string, status: ContainerStatus, system: string): FieldErrors {
  const user = status.user?.linux;
  if (user === undefined) return [];
  if (system === 'windows') return [forbiddenField(field, 'cannot be set for a windows pod')];
  if (system !== 'linux') return [];
  return [
    ...validateId(`${field}.uid`, user.uid),
    ...validateId(`${field}.gid`, user.gid),
    ...items(user.supplementalGroups).flatMap((id, index) =>
      validateId(indexPath(`${field}.supplementalGroups`, index), id),
    ),
  ];
}

function validateId(field: string, id: Int64): FieldErrors {
  if (id >= 0 && id <= ID_MAX) return [];
  return [invalidValue(field, id, `must be between 0 and ${String(ID_MAX)}, inclusive`)];
}

function validateAllocations(
  { statuses, containers }: List,
  status: PodStatus,
  spec: PodSpec,
): FieldErrors {
  return items(status[statuses]).flatMap((one, index) => {
    const field = `${indexPath(`status.${statuses}`, index)}.allocatedResourcesStatus`;
    const allocated = items(one.allocatedResourcesStatus);
    if (containers === undefined) {
      const detail = 'must not be specified in container status';
      return allocated.length === 0 ? [] : [forbiddenField(field, detail)];
    }
    const container = containerOf(spec, containers, one.name);
    return allocated.flatMap((resource, at) => [
      ...validateAsked(`${indexPath(field, at)}.name`, resource.name, container),
      ...validateDevices(`${indexPath(field, at)}.resources`, resource),
    ]);
  });
}

function validateAsked(field: string, name: string, container: Container | undefined): FieldErrors {
  if (container === undefined) return [];
  const { requests = {}, claims } = container.resources;
  if (!name.startsWith('claim:')) {
    return Object.hasOwn(requests, name)
      ? []
      : [invalidValue(field, name, "must match one of the container's resource requests")];
  }
  const claimed = items(claims).map(({ name: claim, request = '' }) => {
    return `claim:${claim}${request === '' ? '' : `/${request}`}`;
  });
  const detail =
    "must match one of the container's resource claims in a format " +
    "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return claimed.includes(name) ? [] : [invalidValue(field, name, detail)];
}

function validateDevices(field: string, { resources }: ResourceStatus): FieldErrors {
  const ids = new Set<string>();
  return items(resources).flatMap(({ resourceID: id, health = '', message }, index) => {
    const path = indexPath(field, index);
    const isTaken = ids.has(id);
    ids.add(id);
    return [
      ...(HEALTHS.includes(health) ? [] : [notSupported(`${path}.health`, health, HEALTHS)]),
      ...validateMessage(`${path}.message`, message),
      ...(isTaken ? [duplicateValue(`${path}.resourceID`, id)] : []),
    ];
  });
}

function validateMessage(field: string, message: string | undefined): FieldErrors {
  if (message === undefined) return [];
  if (message === '') return [required(field, 'must be non-empty if specified')];
  return Buffer.byteLength(message) > MESSAGE_BYTES_MAX ? [tooLong(field, MESSAGE_BYTES_MAX)] : [];
}
