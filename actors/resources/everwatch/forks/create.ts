/**
 * POST of a Fork. It is stored as any object is; only where it begins has to be found out first,
 * and what it stands on must not be cut in the meantime.
 */
import { serviceUnavailable } from '../../../../api/meta/status.ts';
import type { ServedResource } from '../../../../api/scheme/resource-definition.ts';
import type { Strategy } from '../../../../api/scheme/strategy.ts';
import type { FieldErrors } from '../../../../api/schema/field-errors.ts';
import type { ResourceVersion } from '../../../../streams/resource-version.ts';
import { create } from '../../../registry/create.ts';
import { guarded } from '../../../registry/guarded.ts';
import type { VerbHandler } from '../../../registry/verb-handler.ts';
import type { ReadRoom } from '../../../registry/write-room.ts';
import { statusAnswer, type Answer } from '../../../answer.ts';
import { specOf } from '../../value-validation.ts';
import { findBase, type Past } from './base-finder.ts';
import type { ForkBases } from './fork-bases.ts';

export function createFork(bases: ForkBases): VerbHandler {
  return (room, request, served, done) => {
    // Until it is known where the fork begins it could be anywhere.
    const release = bases.hold(oldestOf(room));
    const answer = (one: Answer): void => {
      release();
      done(one);
    };
    findPast(
      room,
      guarded(room, answer, (past) => {
        if (past !== undefined) create(room, request, beginningIn(served, past), answer);
        else answer(statusAnswer(serviceUnavailable('the log cannot be read at the moment')));
      }),
    );
  };
}

/** undefined: nobody can tell what "now" is. */
function findPast(room: ReadRoom, done: (past: Past | undefined) => void): void {
  const { moment, history, clock, log } = room;
  const newestAt = clock.now();
  moment.newest((newest) => {
    if (newest === undefined) {
      done(undefined);
      return;
    }
    const past = (): Past => ({
      newest,
      newestAt,
      oldest: oldestOf(room),
      versionAtTime: (timeMs) => history.versionAtTime(timeMs, log),
    });
    history.settled().then(
      () => {
        done(past());
      },
      () => {
        done(undefined);
      },
    );
  });
}

/** What was cut from every resource; of some resources more may be gone. */
function oldestOf({ log }: ReadRoom): ResourceVersion {
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
    prepareForCreate(fork, requester) {
      strategy.prepareForCreate(fork, requester);
      const spec = specOf(fork);
      const found = findBase(spec, past);
      errors = found.ok ? [] : [found.error];
      if (found.ok) fork['spec'] = { ...spec, revision: String(found.base) };
    },
    validate: (fork) => [...strategy.validate(fork), ...errors],
  };
}
