/**
 * Both phases of admission, and what they get to see of a write. Which plug-ins are in them, and in
 * which order, is in actors/admission/admission-plugins.ts.
 */
import type { GroupVersionKind, KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionOptions,
} from '../../admission/admission-attributes.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import type { WriteAttempt } from '../../slots/key-slots.ts';
import type { WriteContext } from '../write-context.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import { statusAnswer } from '../../request/answer.ts';
import { keepUnique, uniqueOwners, type UniqueOwners } from '../objects/owner-references.ts';
import { slicedStage, type Stage, type StageResult } from '../stage.ts';
import {
  type HasAttempt,
  type HasAttributes,
  type HasExisting,
  type HasObject,
  type HasOptions,
  type HasRequirements,
  type IsPrepared,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';

interface AdmittedWrite {
  readonly request: AuthenticatedRequest;
  /** {@link Received.sizeBytes}; left out: little. */
  readonly sizeBytes?: number;
  readonly served: ServedResource;
  readonly options: AdmissionOptions;
  readonly attempt: WriteAttempt;
  readonly operation: AdmissionOperation;
  /** In the version that is stored; see AdmissionAttributes. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** Where a subresource takes a kind of its own. */
  readonly kind?: GroupVersionKind;
  /** Where it is not that of the path: a new object's own. */
  readonly name?: string;
}

/**
 * What plug-ins are shown of this write; the object in it is the write's own, which they may
 * change.
 */
export function attributesOf(
  { objects }: Pick<WriteContext, 'objects'>,
  write: AdmittedWrite,
): AdmissionAttributes {
  const { request, sizeBytes = 0, served, kind = served.facts, operation } = write;
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
    attempt: write.attempt,
    objects,
    sizeBytes,
  });
}

/** The refusal as an answer, or what the stage gives where no plug-in refuses. */
export function unlessRefused<Gives>(
  refusal: MaybePromise<Status | undefined>,
  gives: () => StageResult<Gives>,
): StageResult<Gives> {
  if (refusal instanceof Promise) return refusal.then((late) => unlessRefused(late, gives));
  return refusal === undefined ? gives() : statusAnswer(refusal);
}

/**
 * The mutating phase.
 *
 * @param describe what the plug-ins see.
 * @param take notes what they have left of the object.
 */
export function mutating<Needs extends Received, Facts extends object>(
  describe: (write: Needs, context: WriteContext) => AdmissionAttributes,
  take: (write: Needs, object: KubeObject) => Facts,
): Stage<Needs, Needs & HasAttributes & Facts> {
  return {
    name: 'mutate',
    run(write, context) {
      const attributes = describe(write, context);
      return unlessRefused(context.admission.mutate(attributes), () => {
        const { object } = attributes;
        if (object === undefined) throw new Error('admission left nothing of the object');
        return noted(noted(write, { attributes }), take(write, object));
      });
    },
  };
}

type Unadmitted = Received & HasAttempt & HasOptions<WriteOptions> & HasObject;

/** Mutating admission of a new object. Its name may be still to be generated. */
export const mutateNew = mutating(
  ({ request, sizeBytes, served, options, attempt, object }: Unadmitted, of) => {
    const { name = '' } = object.metadata;
    return attributesOf(of, {
      request,
      sizeBytes,
      served,
      options,
      attempt,
      object,
      operation: 'CREATE',
      oldObject: undefined,
      name: name === '' ? request.info.name : name,
    });
  },
  (_write, object): HasObject => ({ object }),
);

/** Mutating admission of an object that takes the place of another. */
export const mutateReplacement = mutating(
  ({ request, sizeBytes, served, options, attempt, object, old }: Unadmitted & HasExisting, of) =>
    attributesOf(of, {
      request,
      sizeBytes,
      served,
      options,
      attempt,
      object,
      operation: 'UPDATE',
      oldObject: old,
      name: request.info.name,
    }),
  (_write, object): HasObject => ({ object }),
);

/** Drops owners that plug-ins have entered twice, with a warning. */
export const dropOwners = slicedStage<
  Received & HasObject,
  Received & HasObject,
  UniqueOwners | undefined
>('drop duplicate owners', {
  work: ({ object }) => uniqueOwners(object),
  take(write, owners) {
    keepUnique(write.request, write.object, { owners, foundIn: 'result' });
    return write;
  },
});

type Unvalidated = Received & HasObject & HasAttributes & IsPrepared;

/** Validating admission of what is to be stored. */
export const validateObject: Stage<Unvalidated, Unvalidated & HasRequirements> = {
  name: 'validate',
  run(write, context) {
    write.attributes.object = write.object;
    return validated(write, context);
  },
};

/** Validating admission of what mutating admission has seen: a Scale, a Binding. */
export const validateSeen: Stage<HasAttributes, HasAttributes & HasRequirements> = {
  name: 'validate',
  run: validated,
};

function validated<Write extends HasAttributes>(
  write: Write,
  { admission }: WriteContext,
): StageResult<Write & HasRequirements> {
  const { attributes } = write;
  return unlessRefused(admission.validate(attributes), () =>
    noted(write, { requires: attributes.requires }),
  );
}
