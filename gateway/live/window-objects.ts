/**
 * The objects of a window as its version shows them. Those that a webhook converts are converted when they come, as their
 * cells are read at any time, and are selected by their fields behind that. The window holds them then, so such a
 * window takes the memory of all its objects.
 */
import { shownObjects } from '../../actors/registry/custom/shown-objects.ts';
import { isSelectedAsShown, withoutFields } from '../../actors/registry/reads/select-shown.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { ListPage, PageQuery } from '../../projections/list/list-page.ts';
import { selectsContent, type Selection } from '../../projections/objects/selection.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import type { StoredObject } from '../../streams/event.ts';
import { eventsAsShown, objectsOf } from '../watch/events-as-shown.ts';

/** So many are converted by one request. */
const PART = 512;

type ReadPage = (query: PageQuery) => MaybePromise<ListPage>;

export class WindowObjects {
  /** Of what the view tells. */
  readonly selection: Selection;
  readonly #served: ServedResource;
  /** Of what is shown; undefined: the same. */
  readonly #wanted: Selection | undefined;
  readonly #isOver: () => boolean;
  /** The events before are shown then. */
  #before: Promise<unknown> = Promise.resolve();

  /** @param isOver whether the window is closed: then no webhook is asked any more. */
  constructor(served: ServedResource, selection: Selection, isOver: () => boolean) {
    const isWide = isSelectedAsShown(served, selection);
    this.#isOver = isOver;
    this.#served = served;
    this.#wanted = isWide ? selection : undefined;
    this.selection = isWide ? withoutFields(selection) : selection;
  }

  /** All there are. @throws Error as a rejection: why an object cannot be shown. */
  all(read: ReadPage): MaybePromise<Iterable<StoredObject>> {
    if (this.#asksWebhook) return this.#allConverted(read);
    const page = read({ ...ALL, selection: this.selection, isUnread: true });
    return page instanceof Promise ? page.then(({ items }) => items) : page.items;
  }

  /** What becomes of them, behind all that was asked before. @throws Error as a rejection: as {@link all}. */
  changes(events: readonly WatchEvent[]): MaybePromise<readonly WatchEvent[]> {
    if (!this.#asksWebhook) return events;
    const shown = this.#before.then(() => (this.#isOver() ? [] : this.#changesConverted(events)));
    this.#before = shown.catch(() => undefined);
    return shown;
  }

  get #asksWebhook(): boolean {
    return this.#served.custom?.asksWebhook === true;
  }

  async #allConverted(read: ReadPage): Promise<StoredObject[]> {
    const all: StoredObject[] = [];
    for (let after = ''; ;) {
      const page = await read({ ...ALL, selection: this.selection, after, limit: PART });
      for (const object of await this.#converted([...page.items])) {
        if (this.#wanted === undefined || selectsContent(this.#wanted, object)) all.push(object);
      }
      if (page.lastPath === '' || this.#isOver()) return all;
      after = page.lastPath;
      // What was converted before is shown at once.
      await othersTurn();
    }
  }

  async #changesConverted(events: readonly WatchEvent[]): Promise<readonly WatchEvent[]> {
    return eventsAsShown(events, await this.#converted(objectsOf(events)), this.#wanted);
  }

  async #converted(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const shown = await shownObjects(this.#served, objects);
    if (!shown.ok) throw new Error(shown.message);
    return shown.objects;
  }
}

const ALL = { after: '', limit: 0, isUncounted: true };
