/**
 * Which operating system a pod is for, and what it cannot say then; what is special about
 * containers on Windows.
 *
 * In Kubernetes: validateOS, validateLinux, validateWindows, validateWindowsSecurityContextOptions
 * and validateWindowsHostProcessPod, pkg/apis/core/validation.
 */
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  WindowsSecurityContextOptions,
} from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { type AnyContainer, containersOf, ofEachContainer } from '../pod-rules.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import { refuseHostProcess } from './privileged-containers.ts';

const SYSTEMS = ['linux', 'windows'];
const NOT_ON_WINDOWS = 'cannot be set for a windows pod';

/** In upstream's order: where the error stands, and the section of the spec and the key in it. */
const NOT_IN_WINDOWS_PODS: readonly (readonly [string, 'securityContext' | undefined, string])[] = [
  ['securityContext.appArmorProfile', 'securityContext', 'appArmorProfile'],
  ['securityContext.seLinuxOptions', 'securityContext', 'seLinuxOptions'],
  ['hostUsers', undefined, 'hostUsers'],
  ['hostPID', undefined, 'hostPID'],
  ['hostIPC', undefined, 'hostIPC'],
  ['securityContext.seccompProfile', 'securityContext', 'seccompProfile'],
  ['securityContext.fsGroup', 'securityContext', 'fsGroup'],
  ['securityContext.fsGroupChangePolicy', 'securityContext', 'fsGroupChangePolicy'],
  ['securityContext.sysctls', 'securityContext', 'sysctls'],
  ['shareProcessNamespace', undefined, 'shareProcessNamespace'],
  ['securityContext.runAsUser', 'securityContext', 'runAsUser'],
  ['securityContext.runAsGroup', 'securityContext', 'runAsGroup'],
  ['securityContext.supplementalGroups', 'securityContext', 'supplementalGroups'],
  ['securityContext.supplementalGroupsPolicy', 'securityContext', 'supplementalGroupsPolicy'],
  ['securityContext.seLinuxChangePolicy', 'securityContext', 'seLinuxChangePolicy'],
];
const NOT_IN_WINDOWS_CONTAINERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** validateOS: a system that is known, and none of the fields that it does not have. */
export function validateSystem(field: string, spec: PodSpec): FieldErrors {
  const system = spec.os;
  if (system === undefined) return [];
  const { name } = system;
  if (name === '') return [required(`${field}.os.name`)];
  if (!SYSTEMS.includes(name)) return [notSupported(`${field}.os`, name, SYSTEMS)];
  return name === 'linux' ? validateLinux(field, spec) : validateWindows(field, spec);
}

function validateLinux(field: string, spec: PodSpec): FieldErrors {
  const paths: readonly { field: string; container: PodSpec | AnyContainer }[] = [
    { container: spec, field },
    ...containersOf(field, spec),
  ];
  return paths
    .filter(({ container }) => container.securityContext?.windowsOptions)
    .map(({ field: path }) =>
      forbiddenField(
        `${path}.securityContext.windowsOptions`,
        'windows options cannot be set for a linux pod',
      ),
    );
}

function validateWindows(field: string, spec: PodSpec): FieldErrors {
  const ofPod = NOT_IN_WINDOWS_PODS.filter(([, section, key]) => {
    const holder: JsonObject = (section === undefined ? spec : spec[section]) ?? {};
    const value = holder[key];
    // These two are no pointers in Go, so false is as good as nothing.
    return key === 'hostPID' || key === 'hostIPC' ? value === true : !isMissing(value);
  });
  return [
    ...ofPod.map(([path]) => forbiddenField(`${field}.${path}`, NOT_ON_WINDOWS)),
    ...ofEachContainer(field, spec, ({ container, field: path }) => {
      const context: JsonObject = container.securityContext ?? {};
      return NOT_IN_WINDOWS_CONTAINERS.filter((key) => !isMissing(context[key])).map((key) =>
        forbiddenField(`${path}.securityContext.${key}`, NOT_ON_WINDOWS),
      );
    }),
  ];
}

const GMSA_KIB_MAX = 64;
const DOMAIN_BYTES_MAX = 256;
const USER_BYTES_MAX = 104;
const CONTROL = /[\u0000-\u001f\u007f]/;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;
const DOTS_OR_SPACES = /^[. ]+$/;
const NOT_IN_USERS = /["/\\:;|=,+*?<>@[\]]/;

/** `context` is the security context of a pod or of a container. */
export function validateWindowsOptions(
  field: string,
  context: SecurityContext | PodSecurityContext,
): FieldErrors {
  const options = context.windowsOptions;
  if (options === undefined) return [];
  const path = `${field}.windowsOptions`;
  const name = options.gmsaCredentialSpecName ?? '';
  return [
    ...(isMissing(options.gmsaCredentialSpecName)
      ? []
      : invalidFor(`${path}.gmsaCredentialSpecName`, name, dns1123SubdomainProblems(name))),
    ...validateCredentials(`${path}.gmsaCredentialSpec`, options),
    ...(isMissing(options.runAsUserName)
      ? []
      : validateUserName(`${path}.runAsUserName`, options.runAsUserName ?? '')),
  ];
}

function validateCredentials(field: string, options: WindowsSecurityContextOptions): FieldErrors {
  if (isMissing(options.gmsaCredentialSpec)) return [];
  const spec = options.gmsaCredentialSpec ?? '';
  if (spec === '') {
    return [invalidValue(field, spec, 'gmsaCredentialSpec cannot be an empty string')];
  }
  const detail = `gmsaCredentialSpec size must be under ${String(GMSA_KIB_MAX)} KiB`;
  return Buffer.byteLength(spec) > GMSA_KIB_MAX * 1024 ? [invalidValue(field, spec, detail)] : [];
}

/** `USER` or `DOMAIN\USER`. */
function validateUserName(field: string, name: string): FieldErrors {
  const wrong = (detail: string) => [invalidValue(field, name, `runAsUserName${detail}`)];
  if (name === '') return wrong(' cannot be an empty string');
  if (CONTROL.test(name)) return wrong(' cannot contain control characters');
  const parts = name.split('\\');
  if (parts.length > 2) return wrong(' cannot contain more than one backslash');
  const domain = parts.length === 2 ? parts[0] : undefined;
  const user = parts.at(-1) ?? '';
  return [...domainProblems(domain), ...userProblems(user)].flatMap(wrong);
}

function domainProblems(domain: string | undefined): readonly string[] {
  if (domain === undefined) return [];
  const isLong = Buffer.byteLength(domain) >= DOMAIN_BYTES_MAX;
  return [
    ...(isLong ? [`'s Domain length must be under ${String(DOMAIN_BYTES_MAX)} characters`] : []),
    ...(NET_BIOS.test(domain) || isDnsName(domain)
      ? []
      : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function isDnsName(domain: string): boolean {
  return domain.split('.').every((label) => DOMAIN_LABEL.test(label));
}

function userProblems(user: string): readonly string[] {
  const isLong = Buffer.byteLength(user) > USER_BYTES_MAX;
  const most = String(USER_BYTES_MAX);
  return [
    ...(user === '' ? ["'s User cannot be empty"] : []),
    ...(isLong ? [`'s User length must not be longer than ${most} characters`] : []),
    ...(DOTS_OR_SPACES.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(NOT_IN_USERS.test(user)
      ? [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}

/** Containers that are processes of the host: all of a pod are, or none; and on its network. */
export function validateHostProcess(field: string, spec: PodSpec): FieldErrors {
  const ofPod = hostProcessOf(spec);
  const differing = ofEachContainer(field, spec, ({ container, field: path }) => {
    const own = hostProcessOf(container);
    if (own === undefined || ofPod === undefined || own === ofPod) return [];
    const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
    return [invalidValue(`${path}.securityContext.windowsOptions.hostProcess`, own, detail)];
  });
  const processes = ofEachContainer(field, spec, (placed) =>
    (hostProcessOf(placed.container) ?? ofPod === true) ? [placed] : [],
  );
  if (processes.length === 0) return differing;
  const all =
    'If pod contains any hostProcess containers then all containers must be HostProcess containers';
  const network = 'hostNetwork must be true if pod contains any hostProcess containers';
  return [
    ...differing,
    ...(processes.length === containersOf(field, spec).length
      ? []
      : [invalidValue(field, '', all)]),
    ...(spec.hostNetwork === true ? [] : [invalidValue(`${field}.hostNetwork`, false, network)]),
    refuseHostProcess(field),
  ];
}

function hostProcessOf(parent: PodSpec | AnyContainer): boolean | undefined {
  const value = parent.securityContext?.windowsOptions?.hostProcess;
  return typeof value === 'boolean' ? value : undefined;
}
