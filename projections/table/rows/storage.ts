/**
 * Rows of volumes, of claims to them and of what provides them.
 *
 * In Kubernetes: printPersistentVolume, printStorageClass and their neighbours,
 * pkg/printers/internalversion.
 */
import type {
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../../api/generated/kinds/core-v1.ts';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../../api/generated/kinds/storage-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  ageOf,
  amountAt,
  annotationOf,
  type Cell,
  isBeingDeleted,
  nameOf,
  nonEmpty,
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

/**
 * Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass,
 * Reason, Age; with `-o wide` VolumeMode.
 */
export function persistentVolumeCells(volume: PersistentVolume, now: number): Cell[] {
  const { spec, status } = volume;
  const claim = spec.claimRef;
  return [
    nameOf(volume),
    amountAt(spec.capacity, 'storage'),
    accessModesText(spec),
    spec.persistentVolumeReclaimPolicy ?? '',
    phaseOf(volume),
    claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`,
    annotationOf(volume, CLASS_ANNOTATION) ?? spec.storageClassName ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    status.reason ?? '',
    ageOf(volume, now),
    spec.volumeMode ?? '<unset>',
  ];
}

/** Capacity and access modes are those of the volume, and shown once there is one. */
export function persistentVolumeClaimCells(claim: PersistentVolumeClaim, now: number): Cell[] {
  const { spec, status } = claim;
  const volume = spec.volumeName ?? '';
  return [
    nameOf(claim),
    phaseOf(claim),
    volume,
    volume === '' ? '' : amountAt(status.capacity, 'storage'),
    volume === '' ? '' : accessModesText(status),
    annotationOf(claim, CLASS_ANNOTATION) ?? spec.storageClassName ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    ageOf(claim, now),
    spec.volumeMode ?? '<unset>',
  ];
}

/** Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age. */
export function storageClassCells(storageClass: StorageClass, now: number): Cell[] {
  const isDefault = defaultClassAnnotations.some(
    (annotation) => annotationOf(storageClass, annotation) === 'true',
  );
  return [
    `${nameOf(storageClass)}${isDefault ? ' (default)' : ''}`,
    storageClass.provisioner,
    storageClass.reclaimPolicy ?? 'Delete',
    storageClass.volumeBindingMode ?? 'Immediate',
    storageClass.allowVolumeExpansion ?? false,
    ageOf(storageClass, now),
  ];
}

/**
 * Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes,
 * Age.
 */
export function csiDriverCells(driver: CSIDriver, now: number): Cell[] {
  const { spec } = driver;
  const audiences = spec.tokenRequests?.map(({ audience }) => audience);
  return [
    nameOf(driver),
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    audiences?.join(',') ?? '<unset>',
    spec.requiresRepublish ?? false,
    nonEmpty(items(spec.volumeLifecycleModes).join(','), '<none>'),
    ageOf(driver, now),
  ];
}

/** Name, Drivers, Age. */
export function csiNodeCells(node: CSINode, now: number): Cell[] {
  return [nameOf(node), items(node.spec.drivers).length, ageOf(node, now)];
}

/** Name, Attacher, PV, Node, Attached, Age. */
export function volumeAttachmentCells(attachment: VolumeAttachment, now: number): Cell[] {
  const { spec, status } = attachment;
  return [
    nameOf(attachment),
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status.attached,
    ageOf(attachment, now),
  ];
}

/** Name, DriverName, Age. */
export function volumeAttributesClassCells(
  attributesClass: VolumeAttributesClass,
  now: number,
): Cell[] {
  return [nameOf(attributesClass), attributesClass.driverName, ageOf(attributesClass, now)];
}

function phaseOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return isBeingDeleted(object) ? 'Terminating' : (object.status.phase ?? '');
}

function accessModesText(owner: { readonly accessModes?: string[] }): string {
  const modes = items(owner.accessModes);
  const shown = accessModes.filter(([mode]) => modes.includes(mode)).map(([, text]) => text);
  return shown.join(',');
}
