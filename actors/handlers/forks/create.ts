/**
 * POST of a Fork. It is stored as any object is; only where it begins has to be found out first,
 * and what it stands on must not be cut in the meantime.
 */
import { serviceUnavailable } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Strategy } from '../../../api/kinds/strategy.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { BEGINNING, MAKING, triesAnotherName } from '../../registry/paths/create.ts';
import { type Stage, writePath, type WritePath } from '../../registry/stage.ts';
import { noted, type Received } from '../../registry/write.ts';
import type { ReadContext } from '../../registry/write-context.ts';
import { statusAnswer } from '../../request/answer.ts';
import { FORK_STORAGE } from '../../../api/everwatch/fork-facts.ts';
import { asKind } from '../../../projections/objects/stored-kinds.ts';
import { findBase, type Past } from '../../served-resources/base-finder.ts';
import type { ForkBases } from '../../served-resources/fork-bases.ts';

/** The path of a create, behind a stage that settles `spec.revision`; 503 where the log cannot be read. */
export function createFork(bases: ForkBases): WritePath {
  const findBeginning: Stage<Received, Received> = {
    name: 'find where it begins',
    async run(write, context) {
      // Until it is known where the fork begins it could be anywhere.
      write.request.atTheEnd(bases.hold(oldestOf(context)));
      const past = await findPast(context);
      if (past === undefined) {
        return statusAnswer(serviceUnavailable('the log cannot be read at the moment'));
      }
      return noted(write, { served: beginningIn(write.served, past) });
    },
  };
  return writePath('create fork')
    .once(findBeginning, ...BEGINNING)
    .eachAttempt(...MAKING)
    .unless(triesAnotherName);
}

/** undefined: the log cannot be reached to learn what "now" is. */
async function findPast(context: ReadContext): Promise<Past | undefined> {
  const { moment, history, clock, log } = context;
  const newestAt = clock.now();
  const newest = await moment.newest();
  if (newest === undefined) return undefined;
  try {
    await history.settled();
  } catch {
    return undefined;
  }
  return {
    newest,
    newestAt,
    oldest: oldestOf(context),
    versionAtTime: (timeMs) => history.versionAtTime(timeMs, log),
  };
}

/** What was cut from every resource; of some resources more may be gone. */
function oldestOf({ log }: ReadContext): ResourceVersion {
  return log.cuts().everything.version;
}

/** The resource with the rules of this one request. */
function beginningIn(served: ServedResource, past: Past): ServedResource {
  const { definition } = served;
  return { ...served, definition: { ...definition, strategy: rulesIn(definition.strategy, past) } };
}

function rulesIn(strategy: Strategy, past: Past): Strategy {
  let errors: FieldErrors = [];
  return {
    ...strategy,
    prepareForCreate(object, requester) {
      strategy.prepareForCreate(object, requester);
      const fork = asKind('dev.everwatch/v1alpha1/forks', FORK_STORAGE, object);
      const found = findBase(fork.spec, past);
      errors = found.ok ? [] : [found.error];
      if (found.ok) fork.spec = { ...fork.spec, revision: String(found.base) };
    },
    validate: (fork) => [...strategy.validate(fork), ...errors],
  };
}
