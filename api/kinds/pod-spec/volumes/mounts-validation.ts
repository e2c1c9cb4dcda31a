/** Volumes in containers, as files and as devices. In Kubernetes: ValidateVolumeMounts and ValidateVolumeDevices. */
import { items } from '../../../json/go-values.ts';
import type {
  Volume,
  Container,
  EphemeralContainer,
  VolumeMount,
} from '../../../generated/kinds/core-v1.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isMissing, ofEach } from '../../rules/value-validation.ts';
import { validateDescendingPath } from './local-path-validation.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

/** The volumes without errors, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

/** ValidateVolumeMounts: of volumes that are there, at paths that are not taken twice. */
export function validateMounts(
  field: string,
  container: Container | EphemeralContainer,
  volumes: Volumes,
): FieldErrors {
  if (isMissing(container.volumeMounts)) return [];
  const devices = remembered(() =>
    namesAndPaths(items(container.volumeDevices).map(({ name, devicePath }) => [name, devicePath])),
  );
  const paths = remembered(() => new Set<string>());
  return ofEach(container.volumeMounts, (mount, index) => {
    const path = mount.mountPath;
    const at = indexPath(field, index);
    const errors = [
      ...validateMount(at, mount, volumes),
      ...(paths.has(path) ? [invalidValue(`${at}.mountPath`, path, 'must be unique')] : []),
      ...validateNotADevice(at, mount, devices),
      ...validateSubPaths(field, at, mount),
      ...validatePropagation(`${field}.mountPropagation`, mount, container),
      ...validateRecursiveReadOnly(`${field}.recursiveReadOnly`, mount),
    ];
    paths.add(path);
    return errors;
  });
}

function validateMount(field: string, mount: VolumeMount, volumes: Volumes): FieldErrors {
  const name = mount.name;
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(volumes.has(name) ? [] : [notFoundValue(`${field}.name`, name)]),
    ...(mount.mountPath === '' ? [required(`${field}.mountPath`)] : []),
  ];
}

function validateNotADevice(
  field: string,
  mount: VolumeMount,
  devices: NamesAndPaths,
): FieldErrors {
  const name = mount.name;
  const path = mount.mountPath;
  const isPathTaken = devices.paths.has(path);
  return [
    ...(devices.names.has(name)
      ? [invalidValue(`${field}.name`, name, 'must not already exist in volumeDevices')]
      : []),
    ...(isPathTaken
      ? [
          invalidValue(
            `${field}.mountPath`,
            path,
            'must not already exist as a path in volumeDevices',
          ),
        ]
      : []),
  ];
}

/** What is wrong with the paths themselves stands at the list, as upstream has it. */
function validateSubPaths(listField: string, field: string, mount: VolumeMount): FieldErrors {
  const subPath = mount.subPath ?? '';
  const expression = mount.subPathExpr ?? '';
  const isBoth = subPath !== '' && expression !== '';
  const detail = 'subPathExpr and subPath are mutually exclusive';
  return [
    ...(subPath === '' ? [] : validateDescendingPath(`${listField}.subPath`, subPath)),
    ...(isBoth ? [invalidValue(`${field}.subPathExpr`, expression, detail)] : []),
    ...(expression === '' ? [] : validateDescendingPath(`${listField}.subPathExpr`, expression)),
  ];
}

function validatePropagation(
  field: string,
  mount: VolumeMount,
  container: Container | EphemeralContainer,
): FieldErrors {
  const value = mount.mountPropagation;
  if (isMissing(value)) return [];
  const isPrivileged = container.securityContext?.privileged === true;
  const detail = 'Bidirectional mount propagation is available only to privileged containers';
  return [
    ...(PROPAGATIONS.includes(mount.mountPropagation ?? '')
      ? []
      : [notSupported(field, value, PROPAGATIONS)]),
    ...(value === 'Bidirectional' && !isPrivileged ? [forbiddenField(field, detail)] : []),
  ];
}

function validateRecursiveReadOnly(field: string, mount: VolumeMount): FieldErrors {
  const value = mount.recursiveReadOnly;
  if (isMissing(value) || value === 'Disabled') return [];
  if (value !== 'Enabled' && value !== 'IfPossible') {
    return [notSupported(field, value, RECURSIVE_READ_ONLY)];
  }
  const isPropagated = !isMissing(mount.mountPropagation) && mount.mountPropagation !== 'None';
  const notPropagated = 'may only be specified when mountPropagation is None or not specified';
  return [
    ...(mount.readOnly === true
      ? []
      : [forbiddenField(field, 'may only be specified when readOnly is true')]),
    ...(isPropagated ? [forbiddenField(field, notPropagated)] : []),
  ];
}

/** ValidateVolumeDevices: of claims only, at paths that no mount has. */
export function validateDevices(
  field: string,
  container: Container | EphemeralContainer,
  volumes: Volumes,
): FieldErrors {
  if (isMissing(container.volumeDevices)) return [];
  const mounts = remembered(() =>
    namesAndPaths(items(container.volumeMounts).map(({ name, mountPath }) => [name, mountPath])),
  );
  const names = remembered(() => new Set<string>());
  const paths = remembered(() => new Set<string>());
  return ofEach(container.volumeDevices, (device, index) => {
    const at = indexPath(field, index);
    const name = device.name;
    const path = device.devicePath;
    const errors = [
      ...validateDeviceName(at, name, names, volumes),
      ...validateDevicePath(`${at}.devicePath`, path, paths),
      ...(mounts.names.has(name)
        ? [invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts')]
        : []),
      ...(mounts.paths.has(path)
        ? [
            invalidValue(
              `${at}.devicePath`,
              path,
              'must not already exist as a path in volumeMounts',
            ),
          ]
        : []),
    ];
    if (name !== '') names.add(name);
    if (!hasBacksteps(path)) paths.add(path);
    return errors;
  });
}

/** A device is a claim, or a volume made for the pod. */
function validateDeviceName(
  field: string,
  name: string,
  names: ReadonlySet<string>,
  volumes: Volumes,
): FieldErrors {
  const volume = volumes.get(name);
  const isClaim = volume?.persistentVolumeClaim !== undefined || volume?.ephemeral !== undefined;
  const detail =
    'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(names.has(name) ? [invalidValue(`${field}.name`, name, 'must be unique')] : []),
    ...(volume !== undefined && !isClaim ? [invalidValue(`${field}.name`, name, detail)] : []),
    ...(volume === undefined ? [notFoundValue(`${field}.name`, name)] : []),
  ];
}

function validateDevicePath(field: string, path: string, paths: ReadonlySet<string>): FieldErrors {
  const detail = "can not contain backsteps ('..')";
  return [
    ...(path === '' ? [required(field)] : []),
    ...(paths.has(path) ? [invalidValue(field, path, 'must be unique')] : []),
    ...(hasBacksteps(path) ? [invalidValue(field, path, detail)] : []),
  ];
}

function hasBacksteps(path: string): boolean {
  return path.split('/').includes('..');
}

interface NamesAndPaths {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/** Of a name that is there twice only the last path counts, as in Go's map. */
function namesAndPaths(entries: readonly (readonly [name: string, path: string])[]): NamesAndPaths {
  const paths = new Map(entries);
  return { names: new Set(paths.keys()), paths: new Set(paths.values()) };
}
