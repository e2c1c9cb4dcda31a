/**
 * A page that holds nothing else up. A selection by what an object says may have to read all of them for a few, so
 * what was not looked at in one turn is looked at in the next, as of the same revision.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { isIndexed } from '../objects/label-index.ts';
import { pageAt, type ListPage, type PageQuery, type ResourcePast } from './list-page.ts';

/** To select by labels among more objects than this, there is an index. */
const INDEXED_FROM = 256;

/**
 * The page as of `version`, which is applied. At once where that takes no longer than a turn and memory reaches
 * back that far.
 *
 * @throws {LogTrimmedError} as a rejection: the log was cut behind the version.
 */
export function pageInTurns(
  past: ResourcePast,
  version: ResourceVersion,
  query: PageQuery,
): MaybePromise<ListPage> {
  const { labels, namespace } = query.selection;
  const asksIndex =
    labels !== undefined &&
    isIndexed(labels) &&
    past.objects.countAfter(namespace, query.after) > INDEXED_FROM;
  const labelling = asksIndex ? past.objects.labelled() : undefined;
  if (labelling !== undefined) return labelling.then(() => restOf(past, version, query, NO_PAGE));
  const page = pageAt(past, version, { ...query, mayPause: true });
  if (page instanceof Promise || page.isPaused !== true) return page;
  return othersTurn().then(() => restOf(past, version, query, page));
}

const NO_PAGE: ListPage = {
  items: [],
  lastPath: '',
  remaining: undefined,
  looked: 0,
  source: 'memory',
};

async function restOf(
  past: ResourcePast,
  version: ResourceVersion,
  query: PageQuery,
  begun: ListPage,
): Promise<ListPage> {
  const items = [...begun.items];
  let { looked } = begun;
  for (let after = begun.isPaused === true ? begun.lastPath : query.after; ;) {
    const limit = query.limit === 0 ? 0 : query.limit - items.length;
    const page = await pageAt(past, version, { ...query, after, limit, mayPause: true });
    for (const item of page.items) items.push(item);
    looked += page.looked;
    if (page.isPaused !== true) return { ...page, items, looked };
    after = page.lastPath;
    await othersTurn();
  }
}
