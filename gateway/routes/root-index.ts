/**
 * `/`: all paths there are.
 *
 * In Kubernetes: Index, apiserver/pkg/server/routes.
 */
import type { ReceivedRequest } from '../../actors/request.ts';
import { isRead, jsonAnswer, type Route } from './route.ts';

/** `listedPaths` is asked every time, since discovery changes; the order does not matter. */
export function rootIndexRoute(listedPaths: (request: ReceivedRequest) => Iterable<string>): Route {
  return (request) => {
    const { path } = request.info;
    if (!isRead(request) || (path !== '/' && path !== '' && path !== '/index.html')) {
      return undefined;
    }
    return jsonAnswer({ paths: [...new Set(listedPaths(request))].sort() });
  };
}
