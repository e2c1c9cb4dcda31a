/**
 * Defaults of the volumes of a pod. A volume that names no storage is an `emptyDir`.
 *
 * In Kubernetes: SetDefaults_Volume and what the generated defaulters call for its sources,
 * pkg/apis/core/v1.
 */
import { type JsonObject, stringAt } from '../../../json/json.ts';
import {
  forEachIn,
  isAbsent,
  setIfAbsent,
  setIfZero,
  structAt,
  withObject,
} from '../../default-field.ts';
import { setClaimSpecDefaults } from './claim-spec-defaults.ts';
import { imageTag } from '../containers/image-reference.ts';
import { setVolumeSourceDefaults } from './volume-source-defaults.ts';

/** The permissions 0644 of files that stand for keys of a secret, a config map or a projection. */
const FILE_MODE = 0o644;
const TOKEN_EXPIRATION_SECONDS = 3600;

const sources = [
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
];

export function setVolumeDefaults(volume: JsonObject): void {
  if (sources.every((source) => isAbsent(volume[source]))) volume['emptyDir'] = {};
  withObject(volume, 'image', (image) => {
    setIfZero(image, 'pullPolicy', pullPolicyOf(stringAt(image, 'reference')));
  });
  setVolumeSourceDefaults(volume);
  withObject(volume, 'secret', setFileModeDefault);
  withObject(volume, 'configMap', setFileModeDefault);
  withObject(volume, 'downwardAPI', (downward) => {
    setFileModeDefault(downward);
    setDownwardDefaults(downward);
  });
  withObject(volume, 'projected', setProjectedDefaults);
  withObject(volume, 'ephemeral', (ephemeral) => {
    withObject(ephemeral, 'volumeClaimTemplate', (template) => {
      setClaimSpecDefaults(structAt(template, 'spec'));
    });
  });
}

/** `Always` for the tag `latest`, said or implied; `IfNotPresent` for every other image. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** A field of the pod is named in the words of some API version. */
export function setFieldRefDefault(owner: JsonObject): void {
  withObject(owner, 'fieldRef', (fieldRef) => {
    setIfZero(fieldRef, 'apiVersion', 'v1');
  });
}

function setFileModeDefault(source: JsonObject): void {
  setIfAbsent(source, 'defaultMode', FILE_MODE);
}

function setDownwardDefaults(downward: JsonObject): void {
  forEachIn(downward, 'items', setFieldRefDefault);
}

function setProjectedDefaults(projected: JsonObject): void {
  setFileModeDefault(projected);
  forEachIn(projected, 'sources', (source) => {
    withObject(source, 'downwardAPI', setDownwardDefaults);
    withObject(source, 'serviceAccountToken', (token) => {
      setIfAbsent(token, 'expirationSeconds', TOKEN_EXPIRATION_SECONDS);
    });
  });
}
