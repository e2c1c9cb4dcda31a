/**
 * Which requests may stay open as long as they like: they have no deadline, and nobody waits
 * for them at shutdown.
 *
 * In Kubernetes: BasicLongRunningRequestCheck, as kube-apiserver sets it up.
 */
import type { RequestInfo } from './request.ts';

const SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'proxy',
  'log',
  'portforward',
]);

export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true;
  if (info.isResourceRequest) return info.subresource !== '' && SUBRESOURCES.has(info.subresource);
  return info.path.startsWith('/debug/pprof/');
}
