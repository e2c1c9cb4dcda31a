/** How the verbs of a registry take what they are about to write through admission. */
import type { GroupVersionKind } from '../../api/meta/group-version-kind.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import {
  AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionOptions,
} from '../admission/admission-attributes.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { refusal, type Attempt } from './commit-answer.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import type { Turn } from './turn.ts';
import type { WriteRoom } from './write-room.ts';

export interface AdmittedWrite {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly options: AdmissionOptions;
  readonly turn: Turn;
  readonly operation: AdmissionOperation;
  /** In the version that is stored; see AdmissionAttributes. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** Where a subresource takes a kind of its own. */
  readonly kind?: GroupVersionKind;
  /** Where it is not that of the path: a new object's own. */
  readonly name?: string;
}

export function attributesOf(
  { objects }: Pick<WriteRoom, 'objects'>,
  write: AdmittedWrite,
): AdmissionAttributes {
  const { request, served, kind = served.facts, operation } = write;
  const { info } = request;
  const { name = info.name } = write;
  const isNamespace = served.definition.storage === 'core/namespaces';
  return new AdmissionAttributes({
    request,
    served,
    operation,
    subresource: info.subresource,
    name,
    namespace: isNamespace ? name : info.namespace,
    kind,
    object: write.object,
    oldObject: write.oldObject,
    options: write.options,
    turn: write.turn,
    objects,
  });
}

/** Through the first room, and on with what came out of it; or not. */
export function mutated(
  { admission }: Pick<WriteRoom, 'admission'>,
  attributes: AdmissionAttributes,
  next: (object: KubeObject) => MaybePromise<Attempt>,
): MaybePromise<Attempt> {
  return andThen(admission.mutate(attributes), (problem) => {
    if (problem !== undefined) return refusal(problem);
    const { object } = attributes;
    if (object === undefined) throw new Error('admission left nothing of the object');
    dropDuplicateOwners(attributes.request, object, 'result');
    return next(object);
  });
}

/** Through the second room with what is to be written, and on; or not. */
export function validated(
  { admission }: Pick<WriteRoom, 'admission'>,
  attributes: AdmissionAttributes,
  next: () => MaybePromise<Attempt>,
): MaybePromise<Attempt> {
  return andThen(admission.validate(attributes), (problem) =>
    problem === undefined ? next() : refusal(problem),
  );
}
