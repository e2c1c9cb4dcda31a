/** Which tokens a node may ask for: those of the pods that it runs, for whom they are meant. */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { notFound } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { objectsAt, stringsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import { aggregatedText } from '../../../authorization/aggregated-errors.ts';
import { storedAt } from './node-restriction-pods.ts';
import type { NodeProblem, NodeWrite } from './node-write.ts';

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
