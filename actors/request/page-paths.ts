/**
 * The paths of pages: `/everwatch/` and its files, and Headlamp's below `/everwatch/headlamp/`, where that is
 * served. Their files hold no data and no names, so every user may load them; what a page shows it asks
 * for as its user.
 */
import type { RequestInfo } from './request.ts';

/** The page itself. */
export const PAGE_PATH = '/everwatch/';

/** What the page loads; the name of each file has the digest of its content. */
export const PAGE_FILES_PATH = '/everwatch/assets/';

/** Where Headlamp's page believes its backend to be. */
export const HEADLAMP_PATH = '/everwatch/headlamp/';

/** What lies below belongs to a user: the API behind the name of a cluster. */
export const HEADLAMP_CLUSTERS_PATH = `${HEADLAMP_PATH}clusters/`;

/** The WebSocket that carries many watches. */
export const HEADLAMP_SOCKET_PATH = `${HEADLAMP_PATH}wsMultiplexer`;

/** The cluster of Headlamp that is this server as it is now. */
export const HEADLAMP_CLUSTER = 'everwatch';

/** Where the page gives a token to be kept in a cookie, with the name of the cluster in its body. */
export const HEADLAMP_TOKEN_PATH = `${HEADLAMP_PATH}auth/set-token`;

/** What Headlamp asks of a cluster. */
export interface HeadlampClusterPath {
  /** Its name, of which there may be none. */
  readonly cluster: string;
  /** `/me`: of whom the page's token is; `/set-token`: to keep one in a cookie; else the API. */
  readonly rest: string;
}

/** undefined: the path is of no cluster. */
export function headlampClusterPath(path: string): HeadlampClusterPath | undefined {
  if (!path.startsWith(HEADLAMP_CLUSTERS_PATH)) return undefined;
  const slash = path.indexOf('/', HEADLAMP_CLUSTERS_PATH.length);
  if (slash < 0) return undefined;
  const cluster = path.slice(HEADLAMP_CLUSTERS_PATH.length, slash);
  return { cluster, rest: path.slice(slash) };
}

/** Whether a token is given to be kept in a cookie. */
export function isHeadlampToken(path: string): boolean {
  return path === HEADLAMP_TOKEN_PATH || headlampClusterPath(path)?.rest === '/set-token';
}

type Asked = Pick<RequestInfo, 'path' | 'verb' | 'fork' | 'at'>;

/** Whether the request reads a file of a page, or logs in: of the server, at no moment and in no fork. */
export function isPageRead({ path, verb, fork, at }: Asked): boolean {
  if (fork !== '' || at !== '') return false;
  if (verb === 'post') return isHeadlampToken(path);
  if (verb !== 'get' && verb !== 'head') return false;
  if (path === PAGE_PATH || `${path}/` === PAGE_PATH || path.startsWith(PAGE_FILES_PATH))
    return true;
  return isHeadlampFile(path);
}

/** Whether any user may see it. */
export function isHeadlampFile(path: string): boolean {
  if (!path.startsWith(HEADLAMP_PATH)) return `${path}/` === HEADLAMP_PATH;
  return !path.startsWith(HEADLAMP_CLUSTERS_PATH) && path !== HEADLAMP_SOCKET_PATH;
}

/** Whether the request is one that every user may make that is known: what it shows is asked for by others. */
export function isHeadlampUser({ path, verb, fork, at }: Asked): boolean {
  if (fork !== '' || at !== '' || verb !== 'get') return false;
  return path === HEADLAMP_SOCKET_PATH || headlampClusterPath(path)?.rest === '/me';
}
