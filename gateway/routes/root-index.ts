/**
 * `/`: all paths there are.
 *
 * In Kubernetes: Index, apiserver/pkg/server/routes.
 */
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { jsonAnswer, type Route } from './route.ts';

/**
 * Shown whatever the method.
 *
 * @param listedPaths is asked every time, since discovery changes; the order does not matter.
 */
export function rootIndexRoute(listedPaths: (request: ReceivedRequest) => Iterable<string>): Route {
  return (request) => {
    const { path } = request.info;
    if (path !== '/' && path !== '' && path !== '/index.html') return undefined;
    return jsonAnswer({ paths: [...new Set(listedPaths(request))].sort() });
  };
}
