/**
 * What stands inside a source of a volume, where pods and persistent volumes say the same.
 * Sources that differ between the two stand with the one that they belong to.
 *
 * In Kubernetes: validateHostPathVolumeSource and its neighbours, pkg/apis/core/validation.
 */
import type {
  AzureDiskVolumeSource,
  CSIPersistentVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexPersistentVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  RBDPersistentVolumeSource,
  RBDVolumeSource,
  StorageOSPersistentVolumeSource,
  StorageOSVolumeSource,
} from '../../../generated/kinds/core-v1.ts';
import { items, type ListOf } from '../../../json/go-values.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { invalidFor, isMissing, sortedEntries } from '../../rules/value-validation.ts';
import { validateNoBacksteps } from './local-path-validation.ts';

export type SourceRule<Source> = (field: string, source: Source) => FieldErrors;

/** The fields that hold a text. */
export type TextKey<Source> = {
  [Key in keyof Source & string]-?: Source[Key] extends string | null | undefined ? Key : never;
}[keyof Source & string];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DRIVER_BYTES_MAX = 63;
const TENANT_BYTES_MAX = 64;
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URIS = [
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
];
const BLOB_URIS = ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];

/** Each of the keys must have a text. */
export function requireTexts<Source>(
  field: string,
  source: Source,
  keys: readonly TextKey<Source>[],
): FieldErrors {
  const isEmpty = (text: unknown): boolean => text === undefined || text === null || text === '';
  return keys.filter((key) => isEmpty(source[key])).map((key) => required(`${field}.${key}`));
}

/** A rule of a source in which nothing but some texts is looked at. */
export function needs<Source>(...keys: readonly TextKey<Source>[]): SourceRule<Source> {
  return (field, source) => requireTexts(field, source, keys);
}

export function validateHostPath(field: string, { path, type }: HostPathVolumeSource): FieldErrors {
  if (path === '') return [required(`${field}.path`)];
  const isKnown = HOST_PATH_TYPES.includes(type ?? '');
  return [
    ...validateNoBacksteps(`${field}.path`, path),
    ...(isKnown ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
  ];
}

/** Of a disk with a name or a number in the cloud. */
export function validateDisk<Source extends { readonly partition?: number }>(
  key: TextKey<Source>,
): SourceRule<Source> {
  return (field, source) => {
    const { partition = 0 } = source;
    return [
      ...requireTexts(field, source, [key]),
      ...(partition < 0 || partition > 255
        ? [invalidValue(`${field}.partition`, partition, 'must be between 1 and 255, inclusive')]
        : []),
    ];
  };
}

export function validateNfs(field: string, source: NFSVolumeSource): FieldErrors {
  const { path } = source;
  return [
    ...requireTexts(field, source, ['server', 'path']),
    ...(path.startsWith('/')
      ? []
      : [invalidValue(`${field}.path`, path, 'must be an absolute path')]),
  ];
}

export function validateFlocker(
  field: string,
  { datasetName: name = '', datasetUUID: id = '' }: FlockerVolumeSource,
): FieldErrors {
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...(name === '' && id === ''
      ? [required(field, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(name !== '' && id !== '' ? [invalidValue(field, 'resource', both)] : []),
    ...(name.includes('/')
      ? [invalidValue(`${field}.datasetName`, name, "must not contain '/'")]
      : []),
  ];
}

export function validateRbd(
  field: string,
  source: RBDVolumeSource | RBDPersistentVolumeSource,
): FieldErrors {
  return [...validateMonitors(field, source), ...requireTexts(field, source, ['image'])];
}

export function validateMonitors(
  field: string,
  { monitors }: { readonly monitors: ListOf<string> },
): FieldErrors {
  return items(monitors).length === 0 ? [required(`${field}.monitors`)] : [];
}

export function validateQuobyte(field: string, source: QuobyteVolumeSource): FieldErrors {
  return [...validateQuobyteRegistry(field, source), ...requireTexts(field, source, ['volume'])];
}

function validateQuobyteRegistry(
  field: string,
  { registry, tenant: owner = '' }: QuobyteVolumeSource,
): FieldErrors {
  const detail = 'must be a host:port pair or multiple pairs separated by commas';
  const tenant = 'must be a UUID and may not exceed a length of 64 characters';
  if (registry === '') return [required(`${field}.registry`, detail)];
  if (Buffer.byteLength(owner) > TENANT_BYTES_MAX) {
    return [required(`${field}.tenant`, tenant)];
  }
  return registry
    .split(',')
    .filter((pair) => !isHostAndPort(pair))
    .map(() => invalidValue(`${field}.registry`, registry, detail));
}

/** As Go's SplitHostPort takes it: an address of IPv6 stands in brackets. */
function isHostAndPort(pair: string): boolean {
  return /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
}

export function validateFibreChannel(field: string, source: FCVolumeSource): FieldErrors {
  const names = items(source.targetWWNs);
  const ids = items(source.wwids);
  const { lun } = source;
  const path = `${field}.targetWWNs`;
  const isOff = lun !== undefined && (lun < 0 || lun > 255);
  const both = 'targetWWNs and wwids can not be specified simultaneously';
  return [
    ...(names.length === 0 && ids.length === 0
      ? [required(path, 'must specify either targetWWNs or wwids, but not both')]
      : []),
    ...(names.length > 0 && ids.length > 0 ? [invalidValue(path, names, both)] : []),
    ...(names.length > 0 && lun === undefined
      ? [required(`${field}.lun`, 'lun is required if targetWWNs is specified')]
      : []),
    ...(names.length > 0 && isOff
      ? [invalidValue(`${field}.lun`, lun, 'must be between 0 and 255, inclusive')]
      : []),
  ];
}

export function validateFlexVolume(
  field: string,
  source: FlexVolumeSource | FlexPersistentVolumeSource,
): FieldErrors {
  const detail = 'kubernetes.io and k8s.io namespaces are reserved';
  const reserved = sortedEntries(source.options).filter(([key]) => {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`;
    return domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
  });
  return [
    ...requireTexts(field, source, ['driver']),
    ...reserved.map(([key]) => invalidValue(keyPath(`${field}.options`, key), key, detail)),
  ];
}

export function validateAzureDisk(field: string, source: AzureDiskVolumeSource): FieldErrors {
  const { diskURI: uri, kind, cachingMode } = source;
  const isManaged = kind === 'Managed';
  const begin = isManaged ? '/subscriptions/' : 'https://';
  return [
    ...requireTexts(field, source, ['diskName', 'diskURI']),
    ...supportedIfAny(`${field}.cachingMode`, cachingMode, CACHING_MODES),
    ...supportedIfAny(`${field}.kind`, kind, DISK_KINDS),
    ...(isMissing(kind) || uri.startsWith(begin)
      ? []
      : [notSupported(`${field}.diskURI`, uri, isManaged ? MANAGED_URIS : BLOB_URIS)]),
  ];
}

function supportedIfAny(
  field: string,
  value: string | null | undefined,
  supported: readonly string[],
): FieldErrors {
  const isKnown = isMissing(value) || (typeof value === 'string' && supported.includes(value));
  return isKnown ? [] : [notSupported(field, value, supported)];
}

export function validateStorageOs(
  field: string,
  {
    volumeName: volume = '',
    volumeNamespace: namespace = '',
  }: StorageOSVolumeSource | StorageOSPersistentVolumeSource,
): FieldErrors {
  return [
    ...(volume === ''
      ? [required(`${field}.volumeName`)]
      : invalidFor(`${field}.volumeName`, volume, dns1123LabelProblems(volume))),
    ...(namespace === ''
      ? []
      : invalidFor(`${field}.volumeNamespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}

export function validateCsiDriver(
  field: string,
  { driver: name }: CSIVolumeSource | CSIPersistentVolumeSource,
): FieldErrors {
  const path = `${field}.driver`;
  if (name === '') return [required(path)];
  return [
    ...(Buffer.byteLength(name) > DRIVER_BYTES_MAX ? [tooLong(path, DRIVER_BYTES_MAX)] : []),
    ...invalidFor(path, name, dns1123SubdomainProblems(name.toLowerCase())),
  ];
}
