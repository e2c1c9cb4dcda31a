/**
 * The `binding` subresource: a scheduler gives a pod its node, once and for all. Labels and
 * annotations of the Binding come along.
 *
 * The pod's own rules are not asked: they let no client set the node. The older way, a POST to
 * `bindings`, does the same to the pod of the Binding's name, but keeps no uid as a precondition.
 *
 * In Kubernetes: BindingREST and LegacyBindingREST, registry/core/pod/storage.
 */
import type { Binding, Pod } from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { CreateOptions } from '../../../api/options/options.ts';
import { otherThan } from '../../../api/meta/identity.ts';
import type { ObjectMeta, ObjectOf } from '../../../api/meta/object-meta.ts';
import { failedPrecondition } from '../../../api/options/preconditions.ts';
import {
  badRequest,
  conflict,
  notFound,
  success,
  unclassifiedFailure,
} from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  type FieldErrors,
  formatFieldErrors,
  notSupported,
  required,
} from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { replacing } from '../../registry/commit/change.ts';
import { canonicalObject, jsonOf } from '../../registry/objects/candidate.ts';
import { type Stage, writePath } from '../../registry/stage.ts';
import { objectKey } from '../../registry/stages/place-object.ts';
import { originOf } from '../../registry/stages/propose.ts';
import { lookUp } from '../../registry/stages/stored-object.ts';
import {
  type HasAttempt,
  type HasChange,
  type HasKey,
  type HasOptions,
  type HasStored,
  noted,
  type Received,
} from '../../registry/write.ts';
import type { PostAnswerer, Posted } from '../../registry/paths/post.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { noteProposed } from '../../../projections/objects/written-values.ts';
import { asKind } from '../../../projections/objects/stored-kinds.ts';
import { setPodCondition } from '../../../api/kinds/core/pods/pod-condition.ts';

const BINDINGS = { group: '', resource: 'pods/binding' };
const BOUND = statusAnswer({ ...success(), code: 201 });

/** POST to `pods/NAME/binding`. */
export function bindPod(posted: Posted<ObjectOf<Binding>>): Answer | Promise<Answer> {
  if (otherThan(posted.request.info.name, posted.object.metadata, 'name') !== undefined) {
    return statusAnswer(badRequest('name in URL does not match name in Binding object'));
  }
  return bind(posted, posted.served);
}

/** POST to `bindings`, which is a resource of its own beside the pods. */
export function bindPodByName(pods: ServedResource): PostAnswerer<ObjectOf<Binding>> {
  return (posted) => bind(posted, pods);
}

function bind(posted: Posted<ObjectOf<Binding>>, pods: ServedResource): Answer | Promise<Answer> {
  const { context, writes, request, object, options } = posted;
  const { namespace } = request.info;
  const name = object.metadata.name ?? '';
  const errors = validateBinding(object);
  // Upstream has no status for these, so they come out as faults of the server.
  if (errors.length > 0) return statusAnswer(unclassifiedFailure(formatFieldErrors(errors)));
  if (name === '') return statusAnswer(badRequest('Name parameter required.'));
  const facts = { binding: object, options, key: objectKey(pods, namespace, name) };
  return writes.perform(context, BIND, { request, served: pods, facts });
}

function validateBinding({ target }: Binding): FieldErrors {
  const { kind = '', name = '' } = target;
  return [
    ...(kind === '' || kind === 'Node'
      ? []
      : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
}

type BindingWrite = Received & HasKey & HasOptions<CreateOptions> & { readonly binding: Binding };
type Found = BindingWrite & HasAttempt & HasStored;

const assignNode: Stage<Found, Found & HasChange> = {
  name: 'assign node',
  run(write, { clock }) {
    const { request, served: pods, binding, options, stored, old } = write;
    if (stored === undefined || old === undefined) {
      return statusAnswer(notFound(pods.facts, binding.metadata.name ?? ''));
    }
    const found = asKind('v1/pods', stored.resource, old);
    // What was found is shared with other writes, and all that is changed in the pod is replaced.
    const pod = { ...found, metadata: { ...found.metadata } };
    const name = pod.metadata.name ?? '';
    const failed = failedPrecondition(preconditionsOf(binding.metadata), pod.metadata);
    if (failed !== undefined) return statusAnswer(conflict(pods.facts, name, failed));
    const obstacle = obstacleTo(pod);
    if (obstacle !== undefined) return statusAnswer(conflict(BINDINGS, name, obstacle));
    assign(pod, binding, clock.now());
    pods.definition.strategy.canonicalize?.(pod);
    pods.definition.strategy.readAgain?.(pod);
    const canonical = canonicalObject(pods, pod);
    const json = jsonOf(canonical);
    noteProposed(request, json, canonical);
    if (options.dryRun) return BOUND;
    return noted(write, {
      change: {
        type: 'modified',
        requires: [],
        json,
        labels: pod.metadata.labels ?? {},
        uid: pod.metadata.uid ?? '',
        origin: originOf(request, options.fieldManager),
        ...replacing(stored),
      },
      answerOf: () => BOUND,
    });
  },
};

const BIND = writePath<BindingWrite>('bind').once().eachAttempt(lookUp, assignNode);

function preconditionsOf({ uid = '', resourceVersion = '' }: ObjectMeta) {
  return {
    uid: uid === '' ? undefined : uid,
    resourceVersion: resourceVersion === '' ? undefined : resourceVersion,
  };
}

/** Why the pod cannot be given a node. */
function obstacleTo(pod: Pod): string | undefined {
  const { name = '', deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  const { nodeName: node = '' } = pod.spec;
  if (node !== '') return `pod ${name} is already assigned to node ${goQuote(node)}`;
  if (items(pod.spec.schedulingGates).length > 0) {
    return `pod ${name} has non-empty .spec.schedulingGates`;
  }
  return undefined;
}

function assign(pod: Pod, binding: Binding, now: number): void {
  const { metadata } = pod;
  const { annotations, labels } = binding.metadata;
  pod.spec = { ...pod.spec, nodeName: binding.target.name ?? '' };
  // The scheduler's earlier guess would only mislead from now on.
  const { nominatedNodeName: _, ...status } = pod.status;
  pod.status = status;
  metadata.annotations = { ...metadata.annotations, ...annotations };
  metadata.labels = { ...metadata.labels, ...labels };
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, now);
}
