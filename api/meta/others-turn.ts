/** Where long work pauses between its parts. */

/** Resolves in a later turn of the event loop, when what has waited meanwhile has been handled. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
