/**
 * Defaults of the volumes of a pod, of the storage that volumes and PersistentVolumes can both
 * name, and of claims, which also stand in StatefulSets and ephemeral volumes. A volume that names
 * no storage is an `emptyDir`.
 *
 * An image volume is pulled as its tag says. The tag is read by hand, in time linear in the name,
 * because one regular expression for the whole grammar could be made to backtrack.
 *
 * In Kubernetes: SetDefaults_Volume, SetDefaults_HostPathVolumeSource,
 * SetDefaults_PersistentVolumeClaim and what the generated defaulters call, pkg/apis/core/v1;
 * ParseImageName, pkg/util/parsers.
 */
import type {
  DownwardAPIProjection,
  DownwardAPIVolumeSource,
  EnvVarSource,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  ProjectedVolumeSource,
  Volume,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../containers/resource-list-defaults.ts';

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

/** `source` is a volume of a pod or the spec of a PersistentVolume: both name the storage inline. */
export function setVolumeSourceDefaults(source: Volume | PersistentVolumeSpec): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = source;
  if (hostPath !== undefined) hostPath.type ??= '';
  if (iscsi !== undefined) iscsi.iscsiInterface ||= 'default';
  if (rbd !== undefined) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= 'Shared';
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

/**
 * SetDefaults_PersistentVolumeClaim: for claims, and for the templates of them in a StatefulSet.
 */
export function setClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= 'Pending';
  setClaimSpecDefaults(spec);
  setResourceListDefaults(status.capacity);
  setResourceListDefaults(status.allocatedResources);
}

function setClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  setResourceRequirementsDefaults(spec.resources);
}

/**
 * Reads the tag out of a container image's name. Written by hand and linear in the length of the
 * name, because one regular expression for the whole grammar could be made to backtrack by a client that
 * writes the pod.
 *
 * In Kubernetes: ParseImageName, pkg/util/parsers, over github.com/distribution/reference.
 */
const identifier = /^[a-f0-9]{64}$/;
const domain =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const pathComponent = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/** In bytes; names this long can only be ASCII. */
const PATH_BYTES_MAX = 255;

/**
 * The tag in `image`: `latest` when the image has neither tag nor digest, '' when it has a digest
 * only, and '' too when the name is malformed, as upstream ignores the error and goes on.
 */
export function imageTag(image: string): string {
  if (identifier.test(image)) return '';
  const [host, remainder] = splitDomain(image);
  const at = remainder.indexOf('@');
  const head = at === -1 ? remainder : remainder.slice(0, at);
  if (at !== -1 && !digestForm.test(remainder.slice(at + 1))) return '';

  const colon = head.lastIndexOf(':');
  const tagged = colon > head.lastIndexOf('/');
  const tag = tagged ? head.slice(colon + 1) : '';
  if (tagged && !tagForm.test(tag)) return '';
  if (!isName(host, tagged ? head.slice(0, colon) : head)) return '';
  return tag === '' && at === -1 ? 'latest' : tag;
}

/** `[registry, rest]`; Docker Hub where the first part of the path cannot be a host. */
function splitDomain(image: string): [string, string] {
  const slash = image.indexOf('/');
  if (slash === -1) return ['docker.io', `library/${image}`];
  const first = image.slice(0, slash);
  const isHost = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  if (!isHost) return ['docker.io', image];
  const rest = image.slice(slash + 1);
  const onHub = first === 'docker.io' || first === 'index.docker.io';
  if (!onHub) return [first, rest];
  return ['docker.io', rest.includes('/') ? rest : `library/${rest}`];
}

/** A first part that is no host may still be the first component of a path. */
function isName(host: string, path: string): boolean {
  if (!path.split('/').every((component) => pathComponent.test(component))) return false;
  if (domain.test(host)) return path.length <= PATH_BYTES_MAX;
  return pathComponent.test(host) && host.length + 1 + path.length <= PATH_BYTES_MAX;
}
