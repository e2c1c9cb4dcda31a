/**
 * What the server gives an object before the rules of its kind are asked: the addresses and ports of a
 * service. Objects of other kinds pass.
 *
 * In Kubernetes: BeginCreate and BeginUpdate of the generic Store.
 */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import { statusAnswer } from '../../request/answer.ts';
import { doneInSlices } from '../../request/large-work.ts';
import { SERVICES } from '../services/service-claims.ts';
import { waitingStage, type StageResult } from '../stage.ts';
import type { WriteContext } from '../write-context.ts';
import type {
  HasAttempt,
  HasExisting,
  HasObject,
  HasOptions,
  Received,
  WriteOptions,
} from '../write.ts';

type Mutated = Received & HasAttempt & HasOptions<WriteOptions> & HasObject;

/** Of a new object. */
export const allocateNew = waitingStage<Mutated, Mutated, Status | undefined>('allocate', {
  find: (write, context) => settled(write, undefined, context),
  take: (write, problem, context) => allocated(write, undefined, problem, context),
});

/** Of an object that takes the place of another. */
export const allocateReplacement = waitingStage<
  Mutated & HasExisting,
  Mutated & HasExisting,
  Status | undefined
>('allocate', {
  find: (write, context) => settled(write, write.old, context),
  take: (write, problem, context) => allocated(write, write.old, problem, context),
});

type Old = HasExisting['old'] | undefined;

function isGiven({ request, served }: Received): boolean {
  // A status neither takes nor releases anything.
  return served.definition.storage === SERVICES && request.info.subresource === '';
}

/** Why the service cannot have what it asks for, whatever is free. */
function settled(
  write: Mutated,
  old: Old,
  { allocation }: WriteContext,
): MaybePromise<Status | undefined> {
  if (!isGiven(write)) return undefined;
  const settling = (): MaybePromise<Status | undefined> =>
    doneInSlices(write.sizeBytes, allocation.settling(write.object, old));
  const ready = allocation.ready();
  return ready === undefined ? settling() : ready.then(settling);
}

function allocated<Write extends Mutated>(
  write: Write,
  old: Old,
  refusal: Status | undefined,
  { allocation }: WriteContext,
): StageResult<Write> {
  if (!isGiven(write)) return write;
  const { object, options, attempt } = write;
  const problem =
    refusal ?? allocation.allocate({ object, old, isDryRun: options.dryRun, attempt });
  return problem === undefined ? write : statusAnswer(problem);
}
