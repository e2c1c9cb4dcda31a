/**
 * Objects that a webhook converts are selected by their fields as they are shown, so they are converted before they are
 * looked at.
 *
 * In Kubernetes: each version of a custom resource has a storage of its own, which decodes before it selects.
 */
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import type { ListPage, PageQuery } from '../../../projections/list/list-page.ts';
import { selectsContent, type Selection } from '../../../projections/objects/selection.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { shownObjects } from '../custom/shown-objects.ts';

/** So many are converted by one request. */
const PART = 512;

/** Whether the fields of objects are not known without asking a webhook. */
export function isSelectedAsShown(
  { custom }: Pick<ServedResource, 'custom'>,
  { fields }: Pick<Selection, 'fields'>,
): boolean {
  return fields !== undefined && custom?.asksWebhook === true;
}

/** Lets through objects whatever their fields are. */
export function withoutFields(selection: Selection): Selection {
  return { ...selection, fields: undefined, isWide: true };
}

/** One page, or in words for the client why an object cannot be shown. */
export type PageAsShown = ListPage | { readonly message: string };

/**
 * The page, of objects as they are stored.
 *
 * @param read makes a page at one version, by a selection that asks for no field.
 */
export async function pageAsShown(
  served: Pick<ServedResource, 'custom'>,
  query: PageQuery,
  read: (query: PageQuery) => MaybePromise<ListPage>,
): Promise<PageAsShown> {
  const { selection, limit } = query;
  const wide = withoutFields(selection);
  const items: StoredObject[] = [];
  let looked = 0;
  let lastPath = '';
  for (let after = query.after; ;) {
    const page = await read({ ...query, selection: wide, after, limit: PART, isUncounted: true });
    const stored = [...page.items];
    const shown = await shownObjects(served, stored);
    if (!shown.ok) return shown;
    const counts = { remaining: undefined, source: page.source };
    for (const [index, one] of stored.entries()) {
      const asShown = shown.objects[index] ?? one;
      if (!selectsContent(selection, asShown)) continue;
      if (limit > 0 && items.length === limit) return { items, lastPath, looked, ...counts };
      items.push(one);
      lastPath = one.path;
    }
    looked += page.looked;
    if (page.lastPath === '') return { items, lastPath: '', looked, ...counts };
    after = page.lastPath;
    // What was converted before is shown at once.
    await othersTurn();
  }
}
