/**
 * As whom containers run and what they may do.
 *
 * In Kubernetes: ValidateSecurityContext and validatePodSpecSecurityContext, pkg/apis/core/validation.
 */
import { flatMapItems } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { items } from '../../../json/go-values.ts';
import type {
  Container,
  EphemeralContainer,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from '../../../generated/kinds/core-v1.ts';
import { isNumber, type JsonValue } from '../../../json/json.ts';
import { indexPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { containersOf, type PodRules } from '../pod-rules.ts';
import { validateAppArmorProfile, validateSeccompProfile } from './security-profiles-validation.ts';
import { refusePrivileged } from './privileged-containers.ts';
import { validateWindowsOptions } from './system-validation.ts';

const ID_MAX = 2 ** 31 - 1;
const PROC_MOUNTS = ['Default', 'Unmasked'];
const FS_GROUP_POLICIES = ['Always', 'OnRootMismatch'];
const GROUPS_POLICIES = ['Merge', 'Strict'];
const SYSCTL_BYTES_MAX = 253;
const SYSCTL_FORMAT = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
// One step per character: a segment ends where a letter or digit is followed by a separator.
const SYSCTL = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const SYSCTLS_OF_IPC = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** `hasHostUsers`: the pod shares the users of its host. */
export function validateSecurityContext(
  field: string,
  container: Container | EphemeralContainer,
  hasHostUsers: boolean,
): FieldErrors {
  const context = container.securityContext;
  if (context === undefined) return [];
  return [
    ...(context.privileged === true ? [refusePrivileged(`${field}.privileged`)] : []),
    ...validateId(`${field}.runAsUser`, context.runAsUser),
    ...validateId(`${field}.runAsGroup`, context.runAsGroup),
    ...validateProcMount(`${field}.procMount`, context.procMount, hasHostUsers),
    ...validateSeccompProfile(field, context),
    ...validateEscalation(field, context),
    ...validateWindowsOptions(field, context),
    ...validateAppArmorProfile(field, context),
  ];
}

function validateId(field: string, id: JsonValue | undefined): FieldErrors {
  if (!isNumber(id) || (id >= 0 && id <= ID_MAX)) return [];
  return [invalidValue(field, id, `must be between 0 and ${String(ID_MAX)}, inclusive`)];
}

function validateProcMount(
  field: string,
  value: JsonValue | undefined,
  hasHostUsers: boolean,
): FieldErrors {
  if (typeof value !== 'string') return [];
  const detail = '`hostUsers` must be false to use `Unmasked`';
  return [
    ...(PROC_MOUNTS.includes(value) ? [] : [notSupported(field, value, PROC_MOUNTS)]),
    ...(hasHostUsers && value === 'Unmasked' ? [invalidValue(field, value, detail)] : []),
  ];
}

function validateEscalation(field: string, context: SecurityContext): FieldErrors {
  if (context.allowPrivilegeEscalation !== false) return [];
  const added = items(context.capabilities?.add);
  const details = [
    ...(context.privileged === true ? ['`privileged` to true'] : []),
    ...added.filter((one) => one === 'CAP_SYS_ADMIN').map((one) => `\`capabilities.Add\` ${one}`),
  ];
  return details.map((detail) =>
    invalidValue(
      field,
      internalForm('SecurityContext', context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${detail}`,
    ),
  );
}

/**
 * ValidatePodSecurityContext: the context of the pod, with the namespaces that it shares with its
 * node.
 */
export function validatePodSecurityContext(
  field: string,
  spec: PodSpec,
  rules: PodRules,
): FieldErrors {
  const context = spec.securityContext ?? {};
  const sharesTwice = spec.shareProcessNamespace === true && spec.hostPID === true;
  const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [
    ...(['fsGroup', 'runAsUser', 'runAsGroup'] as const).flatMap((key) =>
      validateId(`${field}.${key}`, context[key]),
    ),
    ...flatMapItems(items(context.supplementalGroups), (id, index) =>
      validateId(indexPath(`${field}.supplementalGroups`, index), id),
    ),
    ...(sharesTwice ? [invalidValue(`${field}.shareProcessNamespace`, true, detail)] : []),
    ...validateSysctls(`${field}.sysctls`, context, spec),
    ...oneOfIfAny(`${field}.fsGroupChangePolicy`, context.fsGroupChangePolicy, FS_GROUP_POLICIES),
    ...validateSeccompProfile(field, context),
    ...validateWindowsOptions(field, context),
    ...validateAppArmorProfile(field, context),
    ...oneOfIfAny(
      `${field}.supplementalGroupsPolicy`,
      context.supplementalGroupsPolicy,
      GROUPS_POLICIES,
    ),
    ...oneOfIfAny(
      `${field}.seLinuxChangePolicy`,
      context.seLinuxChangePolicy,
      rules.allowsMountOption ? ['MountOption', 'Recursive'] : ['Recursive'],
    ),
  ];
}

function oneOfIfAny(
  field: string,
  value: JsonValue | undefined,
  supported: readonly string[],
): FieldErrors {
  if (isMissing(value) || (typeof value === 'string' && supported.includes(value))) return [];
  return [notSupported(field, value, supported)];
}

function validateSysctls(field: string, context: PodSecurityContext, spec: PodSpec): FieldErrors {
  const names = new Set<string>();
  return items(context.sysctls).flatMap((sysctl, index) => {
    const path = `${indexPath(field, index)}.name`;
    const name = sysctl.name;
    const isTaken = names.has(name);
    names.add(name);
    return [...validateSysctl(path, name, isTaken), ...validateSysctlOfHost(path, name, spec)];
  });
}

function validateSysctl(field: string, name: string, isTaken: boolean): FieldErrors {
  if (name === '') return [required(field)];
  if (name.length > SYSCTL_BYTES_MAX || !SYSCTL.test(name)) {
    const most = String(SYSCTL_BYTES_MAX);
    const detail = `must have at most ${most} characters and match regex ${SYSCTL_FORMAT}`;
    return [invalidValue(field, name, detail)];
  }
  return isTaken ? [duplicateValue(field, name)] : [];
}

/** What a pod shares with its host it cannot set for itself. */
function validateSysctlOfHost(field: string, sysctl: string, spec: PodSpec): FieldErrors {
  const name = dotted(sysctl).split('*')[0] ?? '';
  const isNetwork = name.startsWith('net.');
  const isIpc = SYSCTLS_OF_IPC.has(name) || name.startsWith('fs.mqueue.');
  if (spec.hostNetwork === true && isNetwork) {
    return [invalidValue(field, sysctl, "may not be specified when 'hostNetwork' is true")];
  }
  return spec.hostIPC === true && isIpc
    ? [invalidValue(field, sysctl, "may not be specified when 'hostIPC' is true")]
    : [];
}

/** Whichever separator stands first separates; the other one is a part of names. */
function dotted(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (one) => (one === '/' ? '.' : '/'));
}

/** A pod with users of its own keeps out of the host's namespaces. */
export function validateHostUsers(field: string, spec: PodSpec, rules: PodRules): FieldErrors {
  if (spec.hostUsers !== false) return [];
  const detail = 'when `hostUsers` is false';
  const isOnHostNetwork = spec.hostNetwork === true && !rules.allowsHostNetworkWithoutHostUsers;
  return [
    ...(isOnHostNetwork ? [forbiddenField(`${field}.hostNetwork`, detail)] : []),
    ...(spec.hostPID === true ? [forbiddenField(`${field}.HostPID`, detail)] : []),
    ...(spec.hostIPC === true ? [forbiddenField(`${field}.HostIPC`, detail)] : []),
    ...(rules.allowsDevicesWithoutHostUsers ? [] : containersOf(field, spec))
      .filter(({ container }) => !isMissing(container.volumeDevices))
      .map(({ field: path }) => forbiddenField(`${path}.volumeDevices`, detail)),
  ];
}
