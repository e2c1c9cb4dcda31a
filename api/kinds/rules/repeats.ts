/** Which values of a list stood in it before: found in one walk, however long the list is. */

/** One flag for each value, in order: true from the second time on that it stands there. */
export function repeatsIn(values: readonly unknown[]): readonly boolean[] {
  const seen = new Set<unknown>();
  return values.map((value) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated;
  });
}
