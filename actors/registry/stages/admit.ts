/** Both phases of admission; which plug-ins are in them, and in which order, Admission knows. */
import type { Status } from '../../../api/meta/status.ts';
import type { AdmissionOperation } from '../../admission/admission-attributes.ts';
import { statusAnswer } from '../../answer.ts';
import { attributesOf } from '../admitted.ts';
import { dropDuplicateOwners } from '../owner-references.ts';
import { noted, type Stage, type StageResult } from '../stage.ts';
import type {
  HasAttempt,
  HasAttributes,
  HasExisting,
  HasObject,
  HasOptions,
  HasRequirements,
  IsPrepared,
  Received,
  WriteOptions,
} from '../write.ts';
import type { WriteContext } from '../write-context.ts';

type Unadmitted = Received & HasAttempt & HasOptions<WriteOptions> & HasObject;

/** Mutating admission of a new object. Its name may be still to be generated. */
export const mutateNew: Stage<Unadmitted, Unadmitted & HasAttributes> = {
  name: 'mutate',
  run(write, context) {
    const { name = '' } = write.object.metadata;
    return mutated(write, context, {
      operation: 'CREATE',
      oldObject: undefined,
      name: name === '' ? write.request.info.name : name,
    });
  },
};

/** Mutating admission of an object that takes the place of another. */
export const mutateReplacement: Stage<
  Unadmitted & HasExisting,
  Unadmitted & HasExisting & HasAttributes
> = {
  name: 'mutate',
  run: (write, context) =>
    mutated(write, context, {
      operation: 'UPDATE',
      oldObject: write.old,
      name: write.request.info.name,
    }),
};

interface About {
  readonly operation: AdmissionOperation;
  readonly oldObject: HasExisting['old'] | undefined;
  readonly name: string;
}

function mutated<Write extends Unadmitted>(
  write: Write,
  context: WriteContext,
  about: About,
): StageResult<Write & HasAttributes> {
  const { request, served, options, attempt, object } = write;
  const attributes = attributesOf(context, { request, served, options, attempt, object, ...about });
  const problem = context.admission.mutate(attributes);
  const go = (
    refused: Status | undefined,
  ): (Write & HasAttributes) | ReturnType<typeof statusAnswer> => {
    if (refused !== undefined) return statusAnswer(refused);
    const { object: result } = attributes;
    if (result === undefined) throw new Error('admission left nothing of the object');
    dropDuplicateOwners(request, result, 'result');
    return noted(write, { attributes, object: result });
  };
  return problem instanceof Promise ? problem.then(go) : go(problem);
}

type Unvalidated = Received & HasObject & HasAttributes & IsPrepared;

/** Validating admission of what is to be stored. */
export const validateObject: Stage<Unvalidated, Unvalidated & HasRequirements> = {
  name: 'validate',
  run(write, context) {
    write.attributes.object = write.object;
    return validated(write, context);
  },
};

/** Validating admission of what mutating admission has seen: a Scale, a Binding, a delete. */
export const validateSeen: Stage<HasAttributes, HasAttributes & HasRequirements> = {
  name: 'validate',
  run: validated,
};

function validated<Write extends HasAttributes>(
  write: Write,
  { admission }: WriteContext,
): StageResult<Write & HasRequirements> {
  const { attributes } = write;
  const problem = admission.validate(attributes);
  const go = (
    refused: Status | undefined,
  ): (Write & HasRequirements) | ReturnType<typeof statusAnswer> =>
    refused === undefined ? noted(write, { requires: attributes.requires }) : statusAnswer(refused);
  return problem instanceof Promise ? problem.then(go) : go(problem);
}
