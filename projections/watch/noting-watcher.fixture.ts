/** For tests of the watch view: a watcher that writes down what it is shown. */
import { selection } from '../given.fixture.ts';
import type { Selection } from '../objects/selection.ts';
import type { WatchEvent } from './watch-event.ts';
import type { Watcher, WatchFailure } from './watch-view.ts';

/** Writes down what it is shown; takes `space` chunks before it says that it is full. */
export class NotingWatcher implements Watcher {
  readonly seen: string[] = [];
  readonly bookmarks: number[] = [];
  readonly told: string[] = []; // Events and bookmarks, in their order.
  readonly shape;
  space = Number.POSITIVE_INFINITY;
  failure: WatchFailure | undefined;
  timesLive = 0;

  constructor(chosen: Selection = selection()) {
    const render = (events: readonly WatchEvent[]) =>
      Buffer.from(JSON.stringify(events.map(noted)));
    this.shape = { key: chosen.key, selection: chosen, render };
  }

  offer(chunk: Buffer): boolean {
    const events = JSON.parse(chunk.toString()) as string[];
    this.seen.push(...events);
    this.told.push(...events);
    this.space -= 1;
    return this.space > 0;
  }

  caughtUp(): void {
    this.timesLive += 1;
  }

  progressed(version: number): void {
    this.bookmarks.push(version);
    this.told.push(`bookmark @${String(version)}`);
  }

  fail(failure: WatchFailure): void {
    this.failure = failure;
  }
}

function noted({ type, object, resourceVersion: version }: WatchEvent): string {
  return `${type} ${object.path} @${String(version)}`;
}
