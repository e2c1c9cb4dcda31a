/**
 * What is deprecated of a persistent volume.
 *
 * In Kubernetes: GetWarningsForPersistentVolume, pkg/api/persistentvolume.
 */
import { items } from '../../../json/go-values.ts';
import type { PersistentVolume } from '../../../generated/kinds/core-v1.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { nodeTermWarnings } from '../../pod-spec/placement/placement-warnings.ts';

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

export function volumeWarnings(volume: PersistentVolume): readonly string[] {
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
