/**
 * Values that are there at once nearly always, and have to be waited for now and then: where a
 * webhook is asked. Code that need not wait goes on without giving up its turn of the event loop.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** The next step, at once where the value is at hand. */
export function andThen<From, To>(
  value: MaybePromise<From>,
  next: (value: From) => MaybePromise<To>,
): MaybePromise<To> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A value that is known to be there at once. @throws Error when it is not. */
export function atOnce<Value>(value: MaybePromise<Value>): Value {
  if (value instanceof Promise) throw new Error('what is there at once is waited for');
  return value;
}
