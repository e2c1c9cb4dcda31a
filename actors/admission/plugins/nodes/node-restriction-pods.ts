/**
 * What a node may do with pods: mirror those that it runs of itself, say how they are, end them.
 *
 * Which tokens a node may ask for: those of the pods that it runs, for whom they are meant.
 */
import type { TokenRequest } from '../../../../api/generated/kinds/authentication-v1.ts';
import { items } from '../../../../api/json/go-values.ts';
import type { Eviction } from '../../../../api/generated/kinds/policy-v1.ts';
import { storedAt } from '../../../../projections/objects/stored-kinds.ts';
import type {
  PersistentVolume,
  Pod,
  PodSpec,
  Volume,
  VolumeProjection,
} from '../../../../api/generated/kinds/core-v1.ts';
import type { AttributesOf } from '../../kind-steps.ts';
import { notFound } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { sameMap, sameValue } from '../../../../api/kinds/rules/same-value.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import { containersOf, secretNamesOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import type { NodeProblem, NodeWrite } from './node-write.ts';
import { aggregatedText } from '../../../authorization/authorizer.ts';

const MIRROR = 'kubernetes.io/config.mirror';
/** As what upstream looks them up in names them. */
const POD = { group: '', resource: 'pod' };

export function deletedPodProblem({
  node,
  attributes: { objects, namespace, name },
}: NodeWrite<AttributesOf<Pod, 'DELETE'>>): NodeProblem {
  const pod = storedAt(objects, 'v1/pods', pathOf(namespace, name));
  if (pod === undefined) return notFound(POD, name);
  if (pod.spec.nodeName === node) return '';
  return `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`;
}

export function podStatusProblem({
  node,
  attributes: { object, oldObject },
}: NodeWrite<AttributesOf<Pod, 'UPDATE'>>): NodeProblem {
  const subject = `node ${goQuote(node)}`;
  if (oldObject.spec.nodeName !== node) {
    return `${subject} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!sameMap(object.metadata.labels, oldObject.metadata.labels)) {
    return `${subject} cannot update labels through pod status`;
  }
  const [{ status: now }, { status: before }] = [object, oldObject];
  if (!sameValue(now.resourceClaimStatuses, before.resourceClaimStatuses)) {
    return `${subject} cannot update resource claim statues`;
  }
  if (!sameValue(now.extendedResourceClaimStatus, before.extendedResourceClaimStatus)) {
    return `${subject} cannot update extended resource claim status`;
  }
  return '';
}

export function evictionProblem({
  node,
  attributes,
}: NodeWrite<AttributesOf<Eviction, 'CREATE'>>): NodeProblem {
  const { objects, namespace, object } = attributes;
  const name = attributes.name || (object.metadata.name ?? '');
  if (name === '') return 'could not determine pod from request data';
  const pod = storedAt(objects, 'v1/pods', pathOf(namespace, name));
  if (pod === undefined) return notFound(POD, name);
  return pod.spec.nodeName === node
    ? ''
    : `node ${node} can only evict pods with spec.nodeName set to itself`;
}

export function mirrorProblem(write: NodeWrite<AttributesOf<Pod, 'CREATE'>>): NodeProblem {
  const { node, attributes } = write;
  const { object: pod } = attributes;
  const subject = `node ${goQuote(node)}`;
  if (pod.metadata.annotations?.[MIRROR] === undefined) {
    return `pod does not have ${goQuote(MIRROR)} annotation, ${subject} can only create mirror pods`;
  }
  if (pod.spec.nodeName !== node) {
    return `${subject} can only create pods with spec.nodeName set to itself`;
  }
  const owned = ownerProblem(write);
  if (owned !== '') return owned;
  const referenced = referencedIn(pod.spec);
  return referenced === '' ? '' : `${subject} can not create pods that reference ${referenced}`;
}

function ownerProblem({
  node,
  attributes: { object: pod, objects },
}: NodeWrite<AttributesOf<Pod, 'CREATE'>>): NodeProblem {
  const subject = `node ${goQuote(node)}`;
  const [owner, ...more] = pod.metadata.ownerReferences ?? [];
  if (more.length > 0) {
    return `${subject} can only create pods with a single owner reference set to itself`;
  }
  const isItself = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node;
  if (!isItself) return `${subject} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) {
    return `${subject} can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) {
    return `${subject} must not set blockOwnerDeletion on an owner reference`;
  }
  const stored = storedAt(objects, 'v1/nodes', pathOf('', node));
  if (stored === undefined) return notFound({ group: '', resource: 'node' }, node);
  const { uid = '' } = stored.metadata;
  return owner.uid === uid ? '' : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** Volumes that speak of another object, and how that is told. */
const REFERRING: readonly (readonly [source: keyof Volume, what: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];
const PROJECTED: readonly (readonly [source: keyof VolumeProjection, what: string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

/** In Kubernetes: HasAPIObjectReference, pkg/api/pod. */
function referencedIn(spec: PodSpec): string {
  if ((spec.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  if (secretNamesOf(spec).length > 0) return 'secrets';
  if (namesConfigMap(spec)) return 'configmaps';
  if (items(spec.resourceClaims).length > 0) return 'resourceclaims';
  for (const volume of items(spec.volumes)) {
    const own = REFERRING.find(([source]) => volume[source] !== undefined);
    if (own !== undefined) return own[1];
    for (const projection of items(volume.projected?.sources)) {
      const projected = PROJECTED.find(([source]) => projection[source] !== undefined);
      if (projected !== undefined) return projected[1];
    }
  }
  return '';
}

function namesConfigMap(spec: PodSpec): boolean {
  const inContainers = containersOf(spec).some(
    ({ env, envFrom }) =>
      items(envFrom).some(({ configMapRef }) => configMapRef !== undefined) ||
      items(env).some(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined),
  );
  const inVolumes = items(spec.volumes).some(
    ({ configMap, projected }) =>
      configMap !== undefined ||
      items(projected?.sources).some((one) => one.configMap !== undefined),
  );
  return inContainers || inVolumes;
}

type TokenWrite = NodeWrite<AttributesOf<TokenRequest, 'CREATE'>>;

export async function tokenProblem(write: TokenWrite): Promise<NodeProblem> {
  const { node, attributes } = write;
  const { audiences, boundObjectRef } = attributes.object.spec;
  const { name = '', kind, apiVersion, uid = '' } = boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') {
    return 'node requested token not bound to a pod';
  }
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = storedAt(attributes.objects, 'v1/pods', pathOf(attributes.namespace, name));
  if (pod === undefined) return notFound(POD, name);
  if (uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (pod.spec.nodeName !== node) {
    return 'node requested token bound to a pod scheduled on a different node';
  }
  if (write.world.givesNodesAnyAudience === true) return '';
  const [audience = '', ...more] = items(audiences);
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  return audienceProblem(write, pod, audience);
}

/** The pod has to name the audience, or a role has to allow the node to ask for it. */
async function audienceProblem(
  { attributes, world }: TokenWrite,
  pod: Pod,
  audience: string,
): Promise<NodeProblem> {
  const problems: string[] = [];
  for (const volume of items(pod.spec.volumes)) {
    if (isProjected(volume, audience)) return '';
    const driver = driverOf(attributes, pod, volume);
    if (typeof driver !== 'string') problems.push(driver.problem);
    else if (driver !== '' && meantFor(attributes, driver, audience, problems)) return '';
  }
  if (problems.length > 0) {
    return `error validating audience ${goQuote(audience)}: ${aggregatedText(problems)}`;
  }
  const { user, info } = attributes.request;
  const decision = await world.authorizer.authorize({
    user,
    request: {
      ...info,
      ...{ verb: 'request-serviceaccounts-token-audience', resource: audience, subresource: '' },
      ...{ apiGroup: '', apiVersion: 'v1', name: attributes.name, namespace: attributes.namespace },
    },
  });
  if (decision.verdict === 'allow') return '';
  const what = `audience ${goQuote(audience)} not found in pod spec volume`;
  if (decision.error === undefined) {
    return `${what}, ${user.name} is not authorized to request tokens for this audience`;
  }
  return `${what}, error authorizing ${user.name} to request tokens for this audience: ${decision.error.message}`;
}

function isProjected({ projected }: Volume, audience: string): boolean {
  return items(projected?.sources).some(
    ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience,
  );
}

/** The CSI driver of a volume; '' where there is none. */
function driverOf(
  { objects, namespace }: Pick<AdmissionAttributes, 'objects' | 'namespace'>,
  pod: Pod,
  volume: Volume,
): string | { readonly problem: string } {
  const { name: own, ephemeral, persistentVolumeClaim, csi } = volume;
  const isEphemeral = ephemeral?.volumeClaimTemplate !== undefined;
  const ofPod = `${pod.metadata.name ?? ''}-${own}`;
  const claim = isEphemeral ? ofPod : (persistentVolumeClaim?.claimName ?? '');
  if (claim === '') return csi?.driver ?? migratedDriverOf(volume);
  const stored = storedAt(objects, 'v1/persistentvolumeclaims', pathOf(namespace, claim));
  if (stored === undefined) return { problem: `persistentvolumeclaim ${goQuote(claim)} not found` };
  const { volumeName: name = '' } = stored.spec;
  const bound = storedAt(objects, 'v1/persistentvolumes', pathOf('', name));
  if (bound === undefined) return { problem: `persistentvolume ${goQuote(name)} not found` };
  return bound.spec.csi?.driver ?? migratedDriverOf(bound.spec);
}

/** The drivers that serve volumes of kinds without one. In Kubernetes: csi-translation-lib. */
const MIGRATED = [
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['portworxVolume', 'pxd.portworx.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
] as const;

function migratedDriverOf(source: Volume | PersistentVolume['spec']): string {
  return MIGRATED.find(([kind]) => source[kind] !== undefined)?.[1] ?? '';
}

/** Whether the driver asks for tokens for this audience. */
function meantFor(
  { objects }: Pick<AdmissionAttributes, 'objects'>,
  name: string,
  audience: string,
  problems: string[],
): boolean {
  const driver = storedAt(objects, 'storage.k8s.io/v1/csidrivers', pathOf('', name));
  if (driver === undefined) problems.push(`csidriver.storage.k8s.io ${goQuote(name)} not found`);
  return items(driver?.spec.tokenRequests).some((request) => request.audience === audience);
}
