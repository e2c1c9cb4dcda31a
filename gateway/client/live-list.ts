/** The objects of a collection, kept up to date by frames of events. */
import type { NextMessage } from '../../api/live/live-messages.ts';
import { shared } from './structural-sharing.ts';
import type { AnyObject } from './typed-path.ts';

export class LiveList {
  readonly #objects = new Map<string, AnyObject>();
  #items: readonly AnyObject[] = [];
  #isWhole = false;

  /**
   * The list behind the frame, a new array in which objects that have not changed are the same; undefined
   * while it is not whole yet.
   */
  take(frame: NextMessage | { readonly type: 'caughtUp' }): readonly AnyObject[] | undefined {
    if (frame.type === 'caughtUp') {
      const isNews = !this.#isWhole;
      this.#isWhole = true;
      return isNews ? this.#sorted() : undefined;
    }
    if (frame.reset === true) {
      this.#objects.clear();
      this.#isWhole = false;
    }
    let isOfOthers = false;
    for (const { type, object } of frame.events) {
      // Objects of a collection of the API have metadata.
      const item = object as AnyObject & typeof object;
      const key = `${item.metadata.namespace ?? ''}/${item.metadata.name ?? ''}`;
      const before = this.#objects.get(key);
      isOfOthers ||= before === undefined || type === 'DELETED';
      if (type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, shared(before, item));
    }
    if (!this.#isWhole) return undefined;
    return isOfOthers ? this.#sorted() : this.#replaced();
  }

  #sorted(): readonly AnyObject[] {
    const keys = [...this.#objects.keys()].sort();
    return (this.#items = keys.flatMap((key) => this.#objects.get(key) ?? []));
  }

  /** The same objects in the same order, in their newest states. */
  #replaced(): readonly AnyObject[] {
    return (this.#items = this.#items.map((item) => {
      const { namespace = '', name = '' } = item.metadata;
      return this.#objects.get(`${namespace}/${name}`) ?? item;
    }));
  }
}
