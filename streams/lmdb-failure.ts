/** Why LMDB did not commit. It puts the error of the system behind a second promise, which is handled here alone. */
export async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
