/**
 * What a persistent volume may say. Its source is fixed, and so is where it can be used, but for labels
 * of nodes that have got a name of their own.
 *
 * In Kubernetes: ValidatePersistentVolume and validatePvNodeAffinity, pkg/apis/core/validation.
 */
import { keysOf } from '../../../json/work-in-slices.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject, type JsonValue, stringAt } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { validateAccessModes } from '../../rules/claim-spec-validation.ts';
import { internalDiff, internalForm } from '../../internal-struct.ts';
import { SOURCES, validateSource } from '../../rules/persistent-sources-validation.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { quantityAt, wholeOf } from '../../rules/resource-names.ts';
import { sameValue } from '../../rules/same-value.ts';
import {
  immutable,
  invalidFor,
  isMissing,
  shownMap,
  ofEach,
} from '../../rules/value-validation.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_MODES = ['Block', 'Filesystem'];
const CLASS = 'volumeAttributesClassName';

export function validateVolume(volume: PersistentVolume): FieldErrors {
  const spec = volume.spec;
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  return [
    ...(isMissing(spec.accessModes) ? [required('spec.accessModes')] : []),
    ...validateAccessModes('spec.accessModes', spec),
    ...validateCapacity('spec.capacity', spec),
    ...(policy === '' || RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)]),
    ...validateNodeAffinity('spec.nodeAffinity', spec),
    ...validateSource('spec', spec, volume.metadata.name ?? ''),
    ...validateRecycling(spec),
    ...validateClasses(spec),
    ...validateMountOptions(volume),
  ];
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** The sources that can be mounted with options of one's own. */
const MOUNTED_WITH_OPTIONS = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

/** In Kubernetes: checkMountOption, pkg/volume/validation. */
function validateMountOptions(volume: PersistentVolume): FieldErrors {
  const spec = volume.spec;
  const hasNone = volume.metadata.annotations?.[MOUNT_OPTIONS] === undefined;
  if (hasNone || MOUNTED_WITH_OPTIONS.some((source) => spec[source] !== undefined)) return [];
  const detail = 'may not specify mount options for this volume type';
  return [forbiddenField(`metadata.annotations.${MOUNT_OPTIONS}`, detail)];
}

export function validateVolumeChange(volume: PersistentVolume, old: PersistentVolume): FieldErrors {
  const spec = volume.spec;
  const oldSpec = old.spec;
  const [source, oldSource] = [comparableSource(spec, oldSpec), sourceOf(oldSpec)];
  const isClassLost = !isMissing(oldSpec[CLASS]) && isMissing(spec[CLASS]);
  return [
    ...(sameValue(source, oldSource)
      ? []
      : [
          forbiddenField(
            'spec.persistentvolumesource',
            'spec.persistentvolumesource is immutable after creation\n' +
              internalDiff('PersistentVolumeSource', oldSource, source),
          ),
        ]),
    ...immutable('volumeMode', spec.volumeMode ?? null, oldSpec.volumeMode ?? null),
    ...validateNodeAffinityChange(spec, oldSpec),
    ...(isClassLost
      ? [forbiddenField(`spec.${CLASS}`, 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

/** The rules of the `status` subresource. */
export function validateVolumeStatus(volume: PersistentVolume): FieldErrors {
  return (volume.metadata.resourceVersion ?? '') === '' ? [required('resourceVersion')] : [];
}

function validateCapacity(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const capacity = spec.capacity ?? {};
  const names = keysOf(capacity);
  const isStorage = names.length === 1 && names[0] === 'storage';
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(isStorage ? [] : [notSupported(field, shownMap(spec.capacity), ['storage'])]),
    ...ofEach(names, (name) => {
      const amount = quantityAt(capacity[name]);
      const path = keyPath(field, name);
      const whole = wholeOf(amount);
      return [
        ...(whole < 0n
          ? [invalidValue(path, Number(whole), 'must be a valid resource quantity')]
          : []),
        ...(amount.unscaled <= 0n
          ? [invalidValue(path, amount.text, 'must be greater than zero')]
          : []),
      ];
    }),
  ];
}

function validateNodeAffinity(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const affinity = spec.nodeAffinity;
  if (affinity === undefined) return [];
  const selector = affinity.required;
  return selector === undefined
    ? [required(`${field}.required`, 'must specify required node constraints')]
    : validateNodeSelector(`${field}.required`, selector);
}

/** The root of a node is not wiped. */
function validateRecycling(spec: PersistentVolumeSpec): FieldErrors {
  const path = spec.hostPath?.path;
  const isRecycled = spec.persistentVolumeReclaimPolicy === 'Recycle';
  if (!isRecycled || typeof path !== 'string' || !isRoot(path)) return [];
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  return [forbiddenField('spec.persistentVolumeReclaimPolicy', detail)];
}

function isRoot(path: string): boolean {
  return (
    path.startsWith('/') && path.split('/').every((part) => part === '' || /^\.\.?$/.test(part))
  );
}

function validateClasses(spec: PersistentVolumeSpec): FieldErrors {
  const mode = spec.volumeMode;
  const className = spec.storageClassName ?? '';
  return [
    ...(className === ''
      ? []
      : invalidFor('spec.storageClassName', className, dns1123SubdomainProblems(className))),
    ...(isMissing(mode) || VOLUME_MODES.includes(spec.volumeMode ?? '')
      ? []
      : [notSupported('spec.volumeMode', mode, VOLUME_MODES)]),
    ...(isMissing(spec[CLASS]) ? [] : validateAttributes(spec)),
  ];
}

function validateAttributes(spec: PersistentVolumeSpec): FieldErrors {
  const name = spec[CLASS] ?? '';
  return [
    ...(name === ''
      ? [required(`spec.${CLASS}`, 'an empty string is disallowed')]
      : invalidFor(`spec.${CLASS}`, name, dns1123SubdomainProblems(name))),
    ...(spec.csi === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

function sourceOf(spec: PersistentVolumeSpec): JsonObject {
  return Object.fromEntries(
    SOURCES.filter(({ key }) => !isMissing(spec[key])).map(({ key }) => [key, spec[key]]),
  );
}

/** A secret for expansion may be added to a CSI volume that has none. */
function comparableSource(spec: PersistentVolumeSpec, oldSpec: PersistentVolumeSpec): JsonObject {
  const source = sourceOf(spec);
  const { csi } = source;
  const oldCsi = oldSpec.csi;
  const key = 'controllerExpandSecretRef';
  if (!isJsonObject(csi) || !isJsonObject(oldCsi) || !isMissing(oldCsi[key])) return source;
  const rest = { ...csi };
  Reflect.deleteProperty(rest, key);
  return { ...source, csi: rest };
}

const NEW_NAME_OF: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

function validateNodeAffinityChange(
  spec: PersistentVolumeSpec,
  oldSpec: PersistentVolumeSpec,
): FieldErrors {
  const { nodeAffinity } = spec;
  const old = oldSpec.nodeAffinity;
  if (isMissing(old) || sameValue(nodeAffinity, renamed(old, nodeAffinity))) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  return [invalidValue('nodeAffinity', internalForm('*VolumeNodeAffinity', nodeAffinity), detail)];
}

/** The old value with those keys renamed that are renamed in the new one. */
function renamed(old: JsonValue | undefined, value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(old)) {
    const items = Array.isArray(value) ? value : [];
    return old.map((item, index) => renamed(item, items[index]) ?? null);
  }
  if (!isJsonObject(old)) return old;
  const other = isJsonObject(value) ? value : {};
  const entries = Object.entries(old).map(([key, item]) => [key, renamed(item, other[key])]);
  const copy = Object.fromEntries(entries) as JsonObject; // Made from the entries of one.
  const name = NEW_NAME_OF[stringAt(old, 'key')];
  if (name !== undefined && other['key'] === name) copy['key'] = name;
  return copy;
}
