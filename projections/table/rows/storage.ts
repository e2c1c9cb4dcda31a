/**
 * Rows of volumes, of claims to them and of what provides them.
 *
 * In Kubernetes: printPersistentVolume, printStorageClass and their neighbours,
 * pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../../api/json/json.ts';
import {
  ageOf,
  amountAt,
  annotationOf,
  booleanAt,
  type Cell,
  isBeingDeleted,
  nameOf,
  nonEmpty,
  stringOr,
} from '../cells.ts';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const accessModes: readonly (readonly [mode: string, shown: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function persistentVolumeCells(volume: JsonObject, now: number): Cell[] {
  const spec = objectAt(volume, 'spec');
  const status = objectAt(volume, 'status');
  const claim = objectAt(spec, 'claimRef');
  return [
    nameOf(volume),
    amountAt(objectAt(spec, 'capacity'), 'storage'),
    accessModesText(spec),
    stringAt(spec, 'persistentVolumeReclaimPolicy'),
    phaseOf(volume),
    claim === undefined ? '' : `${stringAt(claim, 'namespace')}/${stringAt(claim, 'name')}`,
    annotationOf(volume, CLASS_ANNOTATION) ?? stringAt(spec, 'storageClassName'),
    stringOr(spec, 'volumeAttributesClassName', '<unset>'),
    stringAt(status, 'reason'),
    ageOf(volume, now),
    stringOr(spec, 'volumeMode', '<unset>'),
  ];
}

/** Capacity and access modes are those of the volume, and shown once there is one. */
export function persistentVolumeClaimCells(claim: JsonObject, now: number): Cell[] {
  const spec = objectAt(claim, 'spec');
  const status = objectAt(claim, 'status');
  const volume = stringAt(spec, 'volumeName');
  return [
    nameOf(claim),
    phaseOf(claim),
    volume,
    volume === '' ? '' : amountAt(objectAt(status, 'capacity'), 'storage'),
    volume === '' ? '' : accessModesText(status),
    annotationOf(claim, CLASS_ANNOTATION) ?? stringAt(spec, 'storageClassName'),
    stringOr(spec, 'volumeAttributesClassName', '<unset>'),
    ageOf(claim, now),
    stringOr(spec, 'volumeMode', '<unset>'),
  ];
}

export function storageClassCells(storageClass: JsonObject, now: number): Cell[] {
  const isDefault = defaultClassAnnotations.some(
    (annotation) => annotationOf(storageClass, annotation) === 'true',
  );
  return [
    `${nameOf(storageClass)}${isDefault ? ' (default)' : ''}`,
    stringAt(storageClass, 'provisioner'),
    stringOr(storageClass, 'reclaimPolicy', 'Delete'),
    stringOr(storageClass, 'volumeBindingMode', 'Immediate'),
    booleanAt(storageClass, 'allowVolumeExpansion'),
    ageOf(storageClass, now),
  ];
}

export function csiDriverCells(driver: JsonObject, now: number): Cell[] {
  const spec = objectAt(driver, 'spec');
  const audiences = itemsAt(spec, 'tokenRequests').map((one) => stringAt(one, 'audience'));
  return [
    nameOf(driver),
    booleanAt(spec, 'attachRequired', true),
    booleanAt(spec, 'podInfoOnMount'),
    booleanAt(spec, 'storageCapacity'),
    Array.isArray(spec?.['tokenRequests']) ? audiences.join(',') : '<unset>',
    booleanAt(spec, 'requiresRepublish'),
    nonEmpty(textsAt(spec, 'volumeLifecycleModes').join(','), '<none>'),
    ageOf(driver, now),
  ];
}

export function csiNodeCells(node: JsonObject, now: number): Cell[] {
  const drivers = itemsAt(objectAt(node, 'spec'), 'drivers').length;
  return [nameOf(node), drivers, ageOf(node, now)];
}

export function volumeAttachmentCells(attachment: JsonObject, now: number): Cell[] {
  const spec = objectAt(attachment, 'spec');
  return [
    nameOf(attachment),
    stringAt(spec, 'attacher'),
    stringAt(objectAt(spec, 'source'), 'persistentVolumeName'),
    stringAt(spec, 'nodeName'),
    booleanAt(objectAt(attachment, 'status'), 'attached'),
    ageOf(attachment, now),
  ];
}

export function volumeAttributesClassCells(attributesClass: JsonObject, now: number): Cell[] {
  const driver = stringAt(attributesClass, 'driverName');
  return [nameOf(attributesClass), driver, ageOf(attributesClass, now)];
}

function phaseOf(object: JsonObject): string {
  return isBeingDeleted(object) ? 'Terminating' : stringAt(objectAt(object, 'status'), 'phase');
}

function accessModesText(owner: JsonObject | undefined): string {
  const modes = textsAt(owner, 'accessModes');
  const shown = accessModes.filter(([mode]) => modes.includes(mode)).map(([, text]) => text);
  return shown.join(',');
}
