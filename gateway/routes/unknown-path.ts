/**
 * Paths that nobody knows. Below the APIs that are built in upstream's router answers with a
 * Status; everywhere else, in groups of custom resources too, Go's own 404 does, in plain text.
 *
 * In Kubernetes: director.ServeHTTP, apiserver/pkg/server/handler.go, and http.NotFound.
 */
import type { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { textAnswer, type Route } from './route.ts';
import { KEY_SET_PATH, OPENID_CONFIGURATION_PATH } from './openid.ts';

/** Where upstream's router stands, whatever follows. */
const ROUTED = ['/api', '/version', OPENID_CONFIGURATION_PATH, KEY_SET_PATH];

const NOT_FOUND = textAnswer(404, '404 page not found\n');

/** The last of all routes: it leaves to its caller only what is answered with a Status. */
export function unknownPathRoute(served: Pick<ServedResources, 'facts'>): Route {
  const groups = new Set(served.facts().map(({ group }) => group));
  const routed = [...ROUTED, ...[...groups].map((group) => `/apis/${group}`)];
  return ({ info: { path } }) =>
    routed.some((one) => path === one || path.startsWith(`${one}/`)) ? undefined : NOT_FOUND;
}
