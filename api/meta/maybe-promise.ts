/**
 * Values that are there at once nearly always, and have to be waited for now and then: where a
 * webhook is asked. What waits for nobody goes on without giving up its turn.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** The next step, at once where the value is at hand. */
export function andThen<From, To>(
  value: MaybePromise<From>,
  next: (value: From) => MaybePromise<To>,
): MaybePromise<To> {
  return value instanceof Promise ? value.then(next) : next(value);
}
