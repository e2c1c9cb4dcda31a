/**
 * Defaults of the volumes of a pod. A volume that names no storage is an `emptyDir`.
 *
 * In Kubernetes: SetDefaults_Volume and what the generated defaulters call for its sources,
 * pkg/apis/core/v1.
 */
import type {
  DownwardAPIProjection,
  DownwardAPIVolumeSource,
  EnvVarSource,
  ProjectedVolumeSource,
  Volume,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { setClaimSpecDefaults } from './claim-spec-defaults.ts';
import { imageTag } from '../containers/image-reference.ts';
import { setVolumeSourceDefaults } from './volume-source-defaults.ts';

/** The permissions 0644 of files that stand for keys of a secret, a config map or a projection. */
const FILE_MODE = 0o644;
const TOKEN_EXPIRATION_SECONDS = 3600;

const SOURCES = [
  'hostPath',
  'emptyDir',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'persistentVolumeClaim',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'downwardAPI',
  'fc',
  'azureFile',
  'configMap',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'projected',
  'portworxVolume',
  'scaleIO',
  'storageos',
  'csi',
  'ephemeral',
  'image',
] as const;

/** SetDefaults_Volume and those of each source: a volume without any is an emptyDir. */
export function setVolumeDefaults(volume: Volume): void {
  if (SOURCES.every((source) => volume[source] === undefined)) volume.emptyDir = {};
  const { image, secret, configMap, downwardAPI, projected, ephemeral } = volume;
  if (image !== undefined) image.pullPolicy ||= pullPolicyOf(image.reference ?? '');
  setVolumeSourceDefaults(volume);
  if (secret !== undefined) secret.defaultMode ??= FILE_MODE;
  if (configMap !== undefined) configMap.defaultMode ??= FILE_MODE;
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= FILE_MODE;
    setDownwardDefaults(downwardAPI);
  }
  if (projected !== undefined) setProjectedDefaults(projected);
  const template = ephemeral?.volumeClaimTemplate;
  if (template !== undefined) setClaimSpecDefaults(template.spec);
}

/** `Always` for the tag `latest`, said or implied; `IfNotPresent` for every other image. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** A field of the pod is named in the words of some API version. */
export function setFieldRefDefault({ fieldRef }: Pick<EnvVarSource, 'fieldRef'>): void {
  if (fieldRef !== undefined) fieldRef.apiVersion ||= 'v1';
}

function setDownwardDefaults(downward: DownwardAPIVolumeSource | DownwardAPIProjection): void {
  forEachItem(items(downward.items), setFieldRefDefault);
}

function setProjectedDefaults(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= FILE_MODE;
  forEachItem(items(projected.sources), ({ downwardAPI, serviceAccountToken }) => {
    if (downwardAPI !== undefined) setDownwardDefaults(downwardAPI);
    if (serviceAccountToken === undefined) return;
    serviceAccountToken.expirationSeconds ??= TOKEN_EXPIRATION_SECONDS;
  });
}
