/** Which operating system a pod is for, and what it cannot say then. In Kubernetes: validateOS, validateLinux, validateWindows. */
import type { PodSpec } from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import {
  forbiddenField,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { containersOf, ofEachContainer, type AnyContainer } from '../pod-rules.ts';

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
