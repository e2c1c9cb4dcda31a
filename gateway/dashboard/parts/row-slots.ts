/**
 * Which element of a table shows which row. A row that stays keeps its element, and one that comes is given that of
 * one that has gone: to change its texts takes a fraction of what it takes to make another.
 */

/** Elements are numbers here, each of which is one key of the list that is drawn. */
export class RowSlots {
  #slots = new Map<string, number>();
  #last = 0;

  /**
   * The element of each row, in their order.
   *
   * @param keys of the rows, no two of them alike.
   * @param held the element that no other row may be given, as the one in which the focus is.
   */
  of(keys: readonly string[], held?: number): readonly number[] {
    const free = new Map(this.#slots);
    for (const key of keys) free.delete(key);
    const others = [...free.values()].filter((slot) => slot !== held).reverse();
    const next = (key: string): number => this.#slots.get(key) ?? others.pop() ?? (this.#last += 1);
    const given = keys.map(next);
    this.#slots = new Map(keys.map((key, at) => [key, given[at] ?? 0]));
    return given;
  }
}
