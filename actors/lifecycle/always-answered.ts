/**
 * Paths that are answered from the first moment to the last: whoever asks how the server is should
 * hear the truth.
 *
 * In Kubernetes: pathPrefixesExemptFromRetryAfter, apiserver/pkg/server/filters.
 */
const PREFIXES: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics'];

export function isAnsweredToTheEnd(path: string): boolean {
  return PREFIXES.some((prefix) => path.startsWith(prefix));
}
