/**
 * The paths of the page, `/everwatch/` and its files. They hold no data and no names, so every user may
 * load them; what the page shows it asks for as its user.
 */
import type { RequestInfo } from './request.ts';

/** The page itself. */
export const PAGE_PATH = '/everwatch/';

/** What the page loads; the name of each file has the digest of its content. */
export const PAGE_FILES_PATH = '/everwatch/assets/';

/** Whether the request reads a file of the page: of the server, at no moment and in no fork. */
export function isPageRead({ path, verb, fork, at }: RequestInfo): boolean {
  if (verb !== 'get' && verb !== 'head') return false;
  if (fork !== '' || at !== '') return false;
  return path === PAGE_PATH || `${path}/` === PAGE_PATH || path.startsWith(PAGE_FILES_PATH);
}
