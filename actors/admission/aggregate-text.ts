/**
 * Several errors as one text: one alone, or `[a, b]`, each text once.
 *
 * In Kubernetes: NewAggregate, apimachinery/pkg/util/errors.
 */
export function aggregateText(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}
