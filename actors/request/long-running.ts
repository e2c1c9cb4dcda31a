/**
 * Which requests may stay open as long as they like: they have no deadline, and nobody waits
 * for them at shutdown.
 *
 * In Kubernetes: BasicLongRunningRequestCheck, as kube-apiserver sets it up.
 */
import { LOG_PATH } from './log-request.ts';
import type { RequestInfo } from './request.ts';

const SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'proxy',
  'log',
  'portforward',
]);

/** The log as a stream, of which there is no counterpart in Kubernetes. */
const LONG_PATHS: ReadonlySet<string> = new Set([LOG_PATH, `${LOG_PATH}/state`]);

export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true;
  if (info.isResourceRequest) return info.subresource !== '' && SUBRESOURCES.has(info.subresource);
  return LONG_PATHS.has(info.path) || info.path.startsWith('/debug/pprof/');
}
