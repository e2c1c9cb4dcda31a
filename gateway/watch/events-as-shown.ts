/** Watch events whose objects are converted, and which of them are wanted where only that tells. */
import { selectsContent, type Selection } from '../../projections/objects/selection.ts';
import { changeWanted, type WatchEvent } from '../../projections/watch/watch-event.ts';
import type { StoredObject } from '../../streams/event.ts';

/** What has to be converted: the object of each event, and behind them those that were there before. */
export function objectsOf(events: readonly WatchEvent[]): StoredObject[] {
  const before = events.flatMap(({ previous }) => previous ?? []);
  return [...events.map(({ object }) => object), ...before];
}

/**
 * The events that are wanted, with their objects as they are shown.
 *
 * @param shown those of {@link objectsOf}, in their order.
 * @param wanted undefined: all of them are.
 */
export function eventsAsShown(
  events: readonly WatchEvent[],
  shown: readonly StoredObject[],
  wanted: Selection | undefined,
): readonly WatchEvent[] {
  const before = shown.slice(events.length).values();
  const asShown = events.map((event, index): WatchEvent => {
    const made = { ...event, object: shown[index] ?? event.object };
    return event.previous === undefined ? made : { ...made, previous: before.next().value };
  });
  if (wanted === undefined) return asShown;
  const isWanted = (object: StoredObject): boolean => selectsContent(wanted, object);
  return asShown.flatMap((event) => changeWanted(event, isWanted) ?? []);
}
