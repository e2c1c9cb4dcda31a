/**
 * Requests for what is deprecated: the client is warned, and the audit and the figures tell which client
 * still asks for it.
 *
 * In Kubernetes: apiserver/pkg/endpoints/deprecation, and MonitorRequest.
 */
import type { ReceivedRequest } from './request.ts';

const DEPRECATED = 'k8s.io/deprecated';

/** Adds a `Warning` to the answer and an annotation `k8s.io/deprecated` to the audit. */
export function warnOfDeprecation(request: ReceivedRequest, sentence: string): void {
  request.warn(sentence);
  request.annotate(DEPRECATED, 'true');
}

/** Whether {@link warnOfDeprecation} was called for it. */
export function isForDeprecated({ warnings, annotations }: ReceivedRequest): boolean {
  // Nearly all requests are warned of nothing.
  return warnings.length > 0 && annotations.has(DEPRECATED);
}
