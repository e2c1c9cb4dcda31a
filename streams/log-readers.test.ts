import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { loggedAt } from './event-codec.ts';
import { proposedEvent } from './proposed-event.fixture.ts';
import type { LoggedEvent } from './event.ts';
import { LogReaders } from './log-readers.ts';
import { resourceVersion } from './resource-version.ts';

function event(version: number): LoggedEvent {
  return loggedAt(proposedEvent(version), resourceVersion(version));
}

/** A log of which only the readers' side is there. */
class Shelf {
  readonly events: LoggedEvent[] = [];
  readonly readers = new LogReaders({
    oldest: resourceVersion(1),
    slice: (from) => this.events.slice(from - 1),
  });

  append(...versions: number[]): void {
    const batch = versions.map(event);
    this.events.push(...batch);
    this.readers.publish(batch);
  }

  read(from: number, signal: AbortSignal = new AbortController().signal): Iterator {
    return this.readers.read(resourceVersion(from), signal)[Symbol.asyncIterator]();
  }
}

type Iterator = AsyncIterator<readonly LoggedEvent[]>;

describe('LogReaders', () => {
  it('hands a waiting reader the very batch, before anything that is resolved after it', async () => {
    const shelf = new Shelf();
    const order: string[] = [];
    const next = shelf
      .read(1)
      .next()
      .then((result) => {
        order.push('reader');
        return result;
      });

    shelf.append(1, 2);
    await Promise.all([next, Promise.resolve().then(() => order.push('writer'))]);

    expect(order).toEqual(['reader', 'writer']);
    const result = await next;
    expect(
      result.done === true ? [] : result.value.map((each) => shelf.events.indexOf(each)),
    ).toEqual([0, 1]);
  });

  it('gives the same batch to all waiting readers, and nothing to the others', async () => {
    const shelf = new Shelf();
    const [one, two, late] = [shelf.read(1), shelf.read(1), shelf.read(1)];
    const waiting = [one.next(), two.next()];
    shelf.append(1);
    const [first, second] = await Promise.all(waiting);
    expect(first?.value).toBe(second?.value);

    shelf.append(2);
    const result = await late.next();
    expect(result.done === true ? [] : result.value).toEqual(shelf.events);
  });

  it('forgets a reader that breaks off, and no longer listens to its signal', async () => {
    const shelf = new Shelf();
    const controller = new AbortController();
    shelf.append(1);
    for await (const batch of shelf.readers.read(resourceVersion(1), controller.signal)) {
      expect(batch).toHaveLength(1);
      break;
    }
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const iterator = shelf.read(2, controller.signal);
    const waiting = iterator.next();
    await iterator.return?.();

    expect(await waiting).toEqual({ done: true, value: undefined });
    shelf.append(2);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('refuses to be asked twice at a time', async () => {
    const iterator = new Shelf().read(1);
    void iterator.next();

    await expect(iterator.next()).rejects.toThrow('one batch at a time');
  });
});
