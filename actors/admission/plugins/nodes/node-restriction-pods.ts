/**
 * What a node may do with pods: mirror those that it runs of itself, say how they are, end them.
 *
 * Which tokens a node may ask for: those of the pods that it runs, for whom they are meant.
 */
import { type JsonObject, objectAt, stringAt } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { notFound } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { parsedObject } from '../../../../projections/objects/stored-object.ts';
import { pathOf } from '../../../../streams/event.ts';
import { sameMap, sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { objectsAt, stringsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import { containersOf, secretNamesOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import type { NodeProblem, NodeWrite } from './node-write.ts';
import { aggregatedText } from '../../../authorization/aggregated-errors.ts';

const MIRROR = 'kubernetes.io/config.mirror';
/** As what upstream looks them up in names them. */
const POD = { group: '', resource: 'pod' };

function storedAt(
  { objects }: Pick<AdmissionAttributes, 'objects'>,
  resource: string,
  path: string,
): KubeObject | undefined {
  const stored = objects.get(resource, path);
  return stored === undefined ? undefined : parsedObject(stored); // Ours.
}

export function podProblem(write: NodeWrite): NodeProblem {
  const { node, attributes } = write;
  const { operation, namespace, name } = attributes;
  if (operation === 'CREATE') return mirrorProblem(write);
  if (operation !== 'DELETE') {
    return `unexpected operation ${goQuote(operation)}, node ${goQuote(node)} can only create and delete mirror pods`;
  }
  const pod = storedAt(attributes, 'core/pods', pathOf(namespace, name));
  if (pod === undefined) return notFound(POD, name);
  if (nodeOf(pod) === node) return '';
  return `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`;
}

export function podStatusProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { operation, object, oldObject } = attributes;
  const who = `node ${goQuote(node)}`;
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  if (nodeOf(oldObject) !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!sameMap(object?.metadata['labels'], oldObject?.metadata['labels'])) {
    return `${who} cannot update labels through pod status`;
  }
  const now = objectAt(object, 'status');
  const before = objectAt(oldObject, 'status');
  if (!sameValue(now?.['resourceClaimStatuses'], before?.['resourceClaimStatuses'])) {
    return `${who} cannot update resource claim statues`;
  }
  if (!sameValue(now?.['extendedResourceClaimStatus'], before?.['extendedResourceClaimStatus'])) {
    return `${who} cannot update extended resource claim status`;
  }
  return '';
}

export function evictionProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { operation, namespace, object } = attributes;
  if (operation !== 'CREATE') return `unexpected operation ${operation}`;
  const name = attributes.name || (object?.metadata.name ?? '');
  if (name === '') return 'could not determine pod from request data';
  const pod = storedAt(attributes, 'core/pods', pathOf(namespace, name));
  if (pod === undefined) return notFound(POD, name);
  return nodeOf(pod) === node
    ? ''
    : `node ${node} can only evict pods with spec.nodeName set to itself`;
}

function nodeOf(pod: JsonObject | undefined): string {
  return stringAt(objectAt(pod, 'spec'), 'nodeName');
}

function mirrorProblem(write: NodeWrite): NodeProblem {
  const { node, attributes } = write;
  const { object: pod } = attributes;
  const who = `node ${goQuote(node)}`;
  if (pod?.metadata.annotations?.[MIRROR] === undefined) {
    return `pod does not have ${goQuote(MIRROR)} annotation, ${who} can only create mirror pods`;
  }
  if (nodeOf(pod) !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  const owned = ownerProblem(write, pod);
  if (owned !== '') return owned;
  const referenced = referencedIn(objectAt(pod, 'spec') ?? {});
  return referenced === '' ? '' : `${who} can not create pods that reference ${referenced}`;
}

function ownerProblem({ node, attributes }: NodeWrite, pod: KubeObject): NodeProblem {
  const who = `node ${goQuote(node)}`;
  const [owner, ...more] = pod.metadata.ownerReferences ?? [];
  if (more.length > 0) {
    return `${who} can only create pods with a single owner reference set to itself`;
  }
  const isItself = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node;
  if (!isItself) return `${who} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) {
    return `${who} can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) {
    return `${who} must not set blockOwnerDeletion on an owner reference`;
  }
  const stored = storedAt(attributes, 'core/nodes', pathOf('', node));
  if (stored === undefined) return notFound({ group: '', resource: 'node' }, node);
  const { uid = '' } = stored.metadata;
  return owner.uid === uid ? '' : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** Volumes that speak of another object, and how that is told. */
const REFERRING: readonly (readonly [source: string, what: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];
const PROJECTED: readonly (readonly [source: string, what: string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

/** In Kubernetes: HasAPIObjectReference, pkg/api/pod. */
function referencedIn(spec: JsonObject): string {
  if (stringAt(spec, 'serviceAccountName') !== '') return 'serviceaccounts';
  if (secretNamesOf(spec).length > 0) return 'secrets';
  const volumes = objectsAt(spec, 'volumes');
  if (namesConfigMap(spec, volumes)) return 'configmaps';
  if (objectsAt(spec, 'resourceClaims').length > 0) return 'resourceclaims';
  for (const volume of volumes) {
    const projected = objectsAt(objectAt(volume, 'projected'), 'sources');
    const found = [volume, ...projected].map(
      (one, index) =>
        REFERRING.find(([source]) => index === 0 && objectAt(one, source) !== undefined) ??
        PROJECTED.find(([source]) => index > 0 && objectAt(one, source) !== undefined),
    );
    const [first] = found.filter((one) => one !== undefined);
    if (first !== undefined) return first[1];
  }
  return '';
}

function namesConfigMap(spec: JsonObject, volumes: readonly JsonObject[]): boolean {
  const inContainers = containersOf(spec).some(
    (container) =>
      objectsAt(container, 'envFrom').some((one) => objectAt(one, 'configMapRef') !== undefined) ||
      objectsAt(container, 'env').some(
        (one) => objectAt(objectAt(one, 'valueFrom'), 'configMapKeyRef') !== undefined,
      ),
  );
  const inVolumes = volumes.some(
    (volume) =>
      objectAt(volume, 'configMap') !== undefined ||
      objectsAt(objectAt(volume, 'projected'), 'sources').some(
        (one) => objectAt(one, 'configMap') !== undefined,
      ),
  );
  return inContainers || inVolumes;
}

export async function tokenProblem(write: NodeWrite): Promise<NodeProblem> {
  const { node, attributes } = write;
  const spec = objectAt(attributes.object, 'spec');
  const bound = objectAt(spec, 'boundObjectRef');
  const name = stringAt(bound, 'name');
  const isPod = stringAt(bound, 'apiVersion') === 'v1' && stringAt(bound, 'kind') === 'Pod';
  if (!isPod || name === '') return 'node requested token not bound to a pod';
  const uid = stringAt(bound, 'uid');
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = storedAt(attributes, 'core/pods', pathOf(attributes.namespace, name));
  if (pod === undefined) return notFound({ group: '', resource: 'pod' }, name);
  if (uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (stringAt(objectAt(pod, 'spec'), 'nodeName') !== node) {
    return 'node requested token bound to a pod scheduled on a different node';
  }
  const [audience = '', ...more] = stringsAt(spec ?? {}, 'audiences');
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  return audienceProblem(write, pod, audience);
}

/** The pod has to name the audience, or a role has to allow the node to ask for it. */
async function audienceProblem(
  { attributes, world }: NodeWrite,
  pod: KubeObject,
  audience: string,
): Promise<NodeProblem> {
  const problems: string[] = [];
  for (const volume of objectsAt(objectAt(pod, 'spec'), 'volumes')) {
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

function isProjected(volume: JsonObject, audience: string): boolean {
  return objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => {
    const token = objectAt(source, 'serviceAccountToken');
    return token !== undefined && stringAt(token, 'audience') === audience;
  });
}

/** The CSI driver of a volume; '' where there is none. */
function driverOf(
  attributes: AdmissionAttributes,
  pod: KubeObject,
  volume: JsonObject,
): string | { readonly problem: string } {
  const isEphemeral = objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate') !== undefined;
  const own = `${pod.metadata.name ?? ''}-${stringAt(volume, 'name')}`;
  const claimed = stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName');
  const claim = isEphemeral ? own : claimed;
  if (claim === '') return stringAt(objectAt(volume, 'csi'), 'driver');
  const path = pathOf(attributes.namespace, claim);
  const stored = storedAt(attributes, 'core/persistentvolumeclaims', path);
  if (stored === undefined) return { problem: `persistentvolumeclaim ${goQuote(claim)} not found` };
  const name = stringAt(objectAt(stored, 'spec'), 'volumeName');
  const bound = storedAt(attributes, 'core/persistentvolumes', pathOf('', name));
  if (bound === undefined) return { problem: `persistentvolume ${goQuote(name)} not found` };
  return stringAt(objectAt(objectAt(bound, 'spec'), 'csi'), 'driver');
}

/** Whether the driver asks for tokens for this audience. */
function meantFor(
  attributes: AdmissionAttributes,
  name: string,
  audience: string,
  problems: string[],
): boolean {
  const driver = storedAt(attributes, 'storage.k8s.io/csidrivers', pathOf('', name));
  if (driver === undefined) problems.push(`csidriver.storage.k8s.io ${goQuote(name)} not found`);
  return objectsAt(objectAt(driver, 'spec'), 'tokenRequests').some(
    (request) => stringAt(request, 'audience') === audience,
  );
}
