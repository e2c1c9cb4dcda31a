/**
 * Persistent volumes: storage that exists; their defaults, and what of them is deprecated.
 *
 * In Kubernetes: registry/core/persistentvolume; SetDefaults_PersistentVolume, pkg/apis/core/v1;
 * GetWarningsForPersistentVolume, pkg/api/persistentvolume.
 */
import type { PersistentVolume } from '../../../generated/kinds/core-v1.ts';
import { type Clock, formatTime } from '../../../meta/clock.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateVolume, validateVolumeChange, validateVolumeStatus } from './validation.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../../pod-spec/volumes/volume-defaults.ts';
import { items } from '../../../json/go-values.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { nodeTermWarnings } from '../../pod-spec/placement/placement-warnings.ts';

const PHASE_TIME = 'lastPhaseTransitionTime';

/** The kind PersistentVolume. `clock` gives the time at which a phase began. */
export function persistentVolumes(clock: Clock): Kind {
  return defineKind('v1/persistentvolumes', {
    rules: {
      returnsDeletedObject: true,
      warningsOnCreate: volumeWarnings,
      warningsOnUpdate: volumeWarnings,
      status: {
        initial: () => ({ phase: 'Pending', [PHASE_TIME]: formatTime(clock.now()) }),
        prepareForUpdate: (volume, old) => keepPhaseTime(volume, old, clock),
        validateUpdate: validateVolumeStatus,
      },
      validate: validateVolume,
      validateChange: validateVolumeChange,
    },
  });
}

/** Tells when the phase changed, unless the writer tells it. */
function keepPhaseTime(volume: PersistentVolume, old: PersistentVolume, clock: Clock): void {
  const status = { ...volume.status };
  const oldStatus = old.status;
  const isSamePhase = (status.phase ?? '') === (oldStatus.phase ?? '');
  const isUntold = isMissing(status[PHASE_TIME]);
  if (isSamePhase && isUntold) {
    carryOver(status, oldStatus, PHASE_TIME);
  } else if (!isSamePhase && (isUntold || status[PHASE_TIME] === oldStatus[PHASE_TIME])) {
    status[PHASE_TIME] = formatTime(clock.now());
  }
  volume.status = status;
}

/** SetDefaults_PersistentVolume, with the defaults of its source. */
export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  volume.status.phase ||= 'Pending';
  const spec = volume.spec;
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  setResourceListDefaults(spec.capacity);
  setVolumeSourceDefaults(spec);
}

const ANNOTATIONS = [
  [
    'volume.beta.kubernetes.io/storage-class',
    'deprecated since v1.8; use "storageClassName" attribute instead',
  ],
  [
    'volume.beta.kubernetes.io/mount-options',
    'deprecated since v1.31; use "mountOptions" attribute instead',
  ],
] as const;

/** By the key of the source: how messages spell it, and what they say. */
const SOURCES = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

const RECYCLE =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
  'Instead, the recommended approach is to use dynamic provisioning.';
const TERMS = 'spec.nodeAffinity.required.nodeSelectorTerms';

function volumeWarnings(volume: PersistentVolume): readonly string[] {
  const spec = volume.spec;
  const { annotations = {} } = volume.metadata;
  const required = spec.nodeAffinity?.required;
  return [
    ...ANNOTATIONS.filter(([key]) => annotations[key] !== undefined).map(
      ([key, message]) => `${keyPath('metadata.annotations', key)}: ${message}`,
    ),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [RECYCLE] : []),
    ...items(required?.nodeSelectorTerms).flatMap((term, index) =>
      nodeTermWarnings(indexPath(TERMS, index), term, false),
    ),
    ...SOURCES.filter(([source]) => spec[source] !== undefined).map(
      ([, shown, message]) => `spec.${shown}: ${message}`,
    ),
  ];
}
