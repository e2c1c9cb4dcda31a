/**
 * What a persistent volume may say, and that its source is fixed. What stands inside the source
 * is not looked at yet. Upstream ends one message with a diff in Go's notation; ours stops there.
 *
 * In Kubernetes: ValidatePersistentVolume, pkg/apis/core/validation.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { dns1123SubdomainProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  forbiddenField,
  notSupported,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { validateAccessModes } from '../../access-modes-validation.ts';
import { sameValue } from '../../same-value.ts';
import { immutable, invalidFor, isMissing, specOf } from '../../value-validation.ts';

/** In the order in which upstream looks at them. */
const VOLUME_SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_MODES = ['Block', 'Filesystem'];

export function validateVolume(volume: KubeObject): FieldErrors {
  const spec = specOf(volume);
  return [
    ...(isMissing(spec['accessModes']) ? [required('spec.accessModes')] : []),
    ...validateAccessModes('spec.accessModes', spec),
    ...validateCapacity(spec),
    ...validateSourceCount(spec),
    ...validateWords(spec),
  ];
}

export function validateVolumeChange(volume: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(volume);
  const oldSpec = specOf(old);
  const isSameSource = sameValue(comparableSource(spec, oldSpec), sourceOf(oldSpec));
  const classKey = 'volumeAttributesClassName';
  const isClassLost = !isMissing(oldSpec[classKey]) && isMissing(spec[classKey]);
  return [
    ...(isSameSource
      ? []
      : [
          forbiddenField(
            'spec.persistentvolumesource',
            'spec.persistentvolumesource is immutable after creation\n',
          ),
        ]),
    ...immutable('volumeMode', spec['volumeMode'], oldSpec['volumeMode']),
    ...(isClassLost
      ? [forbiddenField(`spec.${classKey}`, 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

/** The rules of the `status` subresource. */
export function validateVolumeStatus(volume: KubeObject): FieldErrors {
  return stringAt(volume.metadata, 'resourceVersion') === '' ? [required('resourceVersion')] : [];
}

function validateCapacity(spec: JsonObject): FieldErrors {
  const capacity = objectAt(spec, 'capacity') ?? {};
  const resources = Object.keys(capacity);
  if (resources.length === 0) {
    return [required('spec.capacity'), notSupported('spec.capacity', null, ['storage'])];
  }
  return resources.length > 1 || !Object.hasOwn(capacity, 'storage')
    ? [notSupported('spec.capacity', capacity, ['storage'])]
    : [];
}

function validateSourceCount(spec: JsonObject): FieldErrors {
  const sources = VOLUME_SOURCES.filter((key) => !isMissing(spec[key]));
  if (sources.length === 0) return [required('spec', 'must specify a volume type')];
  return (
    sources
      .slice(1)
      // Upstream does not mind this one as a second.
      .filter((key) => key !== 'flexVolume')
      .map((key) => forbiddenField(sourcePath(key), 'may not specify more than 1 volume type'))
  );
}

function sourcePath(key: string): string {
  return key === 'cephfs' ? 'spec.cephFS' : `spec.${key}`;
}

function validateWords(spec: JsonObject): FieldErrors {
  const policy = stringAt(spec, 'persistentVolumeReclaimPolicy');
  const mode = spec['volumeMode'];
  const className = stringAt(spec, 'storageClassName');
  return [
    ...(RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)]),
    ...(className === ''
      ? []
      : invalidFor('spec.storageClassName', className, dns1123SubdomainProblems(className))),
    ...(isMissing(mode) || VOLUME_MODES.includes(stringAt(spec, 'volumeMode'))
      ? []
      : [notSupported('spec.volumeMode', mode, VOLUME_MODES)]),
  ];
}

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(
    VOLUME_SOURCES.filter((key) => !isMissing(spec[key])).map((key) => [key, spec[key]]),
  );
}

/** A secret for expansion may be added to a CSI volume that has none. */
function comparableSource(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const source = sourceOf(spec);
  const { csi } = source;
  const oldCsi = oldSpec['csi'];
  const key = 'controllerExpandSecretRef';
  if (!isJsonObject(csi) || !isJsonObject(oldCsi) || !isMissing(oldCsi[key])) return source;
  const rest = { ...csi };
  Reflect.deleteProperty(rest, key);
  return { ...source, csi: rest };
}
