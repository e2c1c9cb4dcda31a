/**
 * Whether metadata is of the object that was asked about. A client's body, a patch, admission and a
 * conversion may all return an object, and none of them may return another one: this is the one place
 * that compares. What becomes of a difference, and its words, are those of each path in Kubernetes.
 */

/** By what an object is told from all others. */
export type IdentityField = 'name' | 'namespace' | 'uid';

/** Metadata of any origin, of which nothing is known. */
export type SaidMetadata = { readonly [Field in IdentityField]?: unknown };

/**
 * What the metadata says in the place of `expected`; undefined: the same. What is absent, or no text,
 * counts as ''.
 */
export function otherThan(
  expected: string | undefined,
  said: SaidMetadata | undefined,
  field: IdentityField,
): string | undefined {
  const value = said?.[field];
  const text = typeof value === 'string' ? value : '';
  return text === (expected ?? '') ? undefined : text;
}
