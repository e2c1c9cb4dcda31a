/**
 * For callbacks that run when something else has come: a body, a version, a commit. They stand on
 * the stack of whoever calls back (a socket, the fold), where a throw would end the process and
 * not the request.
 */
import { internalError } from '../../api/meta/status.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { sliced } from '../large-work.ts';
import type { Faults } from '../faults.ts';
import { statusAnswer, type Answer } from '../answer.ts';

/** A step behind the one that is under way, which large work does in a turn of its own. */
export function slicedGuarded(
  room: { readonly faults: Faults },
  done: (answer: Answer) => void,
  sizeBytes: number,
  step: () => void,
): void {
  const safe = guarded(room, done, step);
  sliced(sizeBytes, () => {
    safe(undefined);
  });
}

/** A step with a value that may have to be waited for. */
export function thenGuarded<Value>(
  room: { readonly faults: Faults },
  done: (answer: Answer) => void,
  value: MaybePromise<Value>,
  step: (value: Value) => void,
): void {
  if (!(value instanceof Promise)) {
    step(value);
    return;
  }
  const fail = guarded(room, done, (error: unknown) => {
    throw error;
  });
  value.then(guarded(room, done, step), fail);
}

/** The same step; what it throws is logged and answered. */
export function guarded<Value>(
  { faults }: { readonly faults: Faults },
  done: (answer: Answer) => void,
  step: (value: Value) => void,
): (value: Value) => void {
  return (value) => {
    try {
      step(value);
    } catch (error) {
      faults.record('going on with a request', error);
      done(statusAnswer(internalError(error)));
    }
  };
}
