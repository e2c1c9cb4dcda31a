/**
 * What the server gives an object before the rules of its kind are asked: the addresses and ports of a
 * service. Objects of other kinds pass.
 *
 * In Kubernetes: BeginCreate and BeginUpdate of the generic Store.
 */
import { statusAnswer } from '../../request/answer.ts';
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
export const allocateNew = waitingStage<Mutated, Mutated, undefined>('allocate', {
  find: allocationReady,
  take: (write, _, context) => allocated(write, undefined, context),
});

/** Of an object that takes the place of another. */
export const allocateReplacement = waitingStage<
  Mutated & HasExisting,
  Mutated & HasExisting,
  undefined
>('allocate', {
  find: allocationReady,
  take: (write, _, context) => allocated(write, write.old, context),
});

function isGiven({ request, served }: Received): boolean {
  // A status neither takes nor releases anything.
  return served.definition.storage === SERVICES && request.info.subresource === '';
}

function allocationReady(
  write: Received,
  { allocation }: WriteContext,
): undefined | Promise<undefined> {
  return isGiven(write) ? allocation.ready() : undefined;
}

function allocated<Write extends Mutated>(
  write: Write,
  old: HasExisting['old'] | undefined,
  { allocation }: WriteContext,
): StageResult<Write> {
  if (!isGiven(write)) return write;
  const { object, options, attempt } = write;
  const problem = allocation.allocate({ object, old, isDryRun: options.dryRun, attempt });
  return problem === undefined ? write : statusAnswer(problem);
}
