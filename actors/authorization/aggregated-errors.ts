/** Several errors in one text. In Kubernetes: Aggregate, apimachinery/pkg/util/errors. */

/** Each once: alone as it is, several in brackets. */
export function aggregatedText(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
