import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../given.fixture.ts';
import { isMade, lineOf, passingJson, sizeOf, storedObject } from './stored-object.ts';
import { WarmObjects } from './warm-objects.ts';

const HELD_BYTES = 512;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // Of V8.

/** A log that counts how often it is read. */
function given(bytesMax: number) {
  const records: LoggedEvent[] = [];
  const read: number[] = [];
  const at = (version: number): LoggedEvent | undefined => {
    read.push(version);
    return records[version - 1];
  };
  const warm = new WarmObjects({ at }, bytesMax);
  const append = (data: string): LoggedEvent => {
    const version = records.length + 1;
    const event = loggedEvent(version, {
      path: `ns/${String(version)}`,
      data,
      labels: { a: String(data.length) },
    });
    records.push(event);
    return event;
  };
  return { warm, read, append, records };
}

describe('objects that are warm', () => {
  it('have their bytes, and more than there is room for have not', () => {
    const { warm, read, append } = given(4 * (1_000 + HELD_BYTES));
    const objects = Array.from({ length: 10 }, () =>
      warm.written(append('x'.repeat(800)), undefined),
    );
    expect(warm.warm.objects).toBe(4);
    for (const object of objects.slice(6)) expect(object.json.length).toBeGreaterThan(800);
    expect(read).toEqual([]);
    expect(objects[0]?.json.toString()).toContain('"resourceVersion":"1"');
    expect(read).toEqual([1]);
    expect(warm.warm.objects).toBe(4);
  });

  it('stay as long as they are used', () => {
    const { warm, read, append } = given(4 * (1_000 + HELD_BYTES));
    const used = warm.written(append('x'.repeat(800)), undefined);
    for (let n = 0; n < 50; n += 1) {
      expect(used.json.length).toBeGreaterThan(800);
      warm.written(append('y'.repeat(800)), undefined);
    }
    expect(read).toEqual([]);
  });

  it('are let go of all the same where everything is used', () => {
    const { warm, append } = given(1_000 * (1_000 + HELD_BYTES));
    const objects = Array.from({ length: 900 }, () =>
      warm.written(append('x'.repeat(800)), undefined),
    );
    for (const { json } of objects) expect(json.length).toBeGreaterThan(800);
    for (let n = 0; n < 300; n += 1) void warm.written(append('y'.repeat(800)), undefined).json;
    expect(warm.warm.bytes).toBeLessThanOrEqual(1_000 * (1_000 + HELD_BYTES));
  });

  it('keep their bytes when they are replaced, and are forgotten', () => {
    const { warm, read, append } = given(3 * (1_000 + HELD_BYTES));
    let object = warm.written(append('x'.repeat(800)), undefined);
    const first = object;
    for (let n = 0; n < 5_000; n += 1) object = warm.written(append('x'.repeat(800)), object);
    expect(warm.warm.objects).toBe(1);
    expect(first.json.toString()).toContain('"resourceVersion":"1"');
    expect(read).toEqual([]);
  });

  it('hold nothing of what replaced objects had', async () => {
    const warm = new WarmObjects({ at: () => undefined });
    const write = (version: number, previous?: StoredObject): StoredObject =>
      warm.written(loggedEvent(version, { path: `ns/${String(version)}` }), previous);
    const objects = Array.from({ length: 200 }, (_, at) => write(at + 1));
    const replaced = objects.map((object) => new WeakRef(object));
    for (const [at, object] of objects.entries()) objects[at] = write(1_000 + at, object);
    expect(warm.warm.objects).toBe(200);
    // What is looked at by such a reference stays for the rest of its turn.
    await nextTurn();
    collect();
    const left = replaced.filter((one) => one.deref() !== undefined);
    expect(left.length).toBeLessThan(20);
  });

  it('of which one alone is larger than all the room can be read', () => {
    const { warm, append } = given(100);
    const one = warm.written(append('x'.repeat(800)), undefined);
    const other = warm.written(append('y'.repeat(800)), undefined);
    for (const object of [one, other, one]) expect(object.json.length).toBeGreaterThan(800);
    expect(warm.warm.objects).toBe(1);
  });
});

describe('a list of many', () => {
  it('keeps what it reads the second time as long as there is room, and pushes out nothing', () => {
    const { warm, read, append } = given(6 * (1_000 + HELD_BYTES));
    const events = Array.from({ length: 10 }, () => append('x'.repeat(800)));
    const objects = events.map((event) => warm.known(event, event.resourceVersion));
    for (const object of objects) {
      const plain = events[object.resourceVersion - 1];
      if (plain === undefined) throw new Error('it was made of a record');
      expect(passingJson(object, { mayKeep: true })).toEqual(storedObject(plain).json);
    }
    expect([warm.warm.objects, objects.some(isMade)]).toEqual([0, false]);
    for (const object of objects) passingJson(object, { mayKeep: true });
    const { objects: kept } = warm.warm;
    expect([kept, objects.map(isMade).indexOf(false)]).toEqual([4, 4]);
    read.length = 0;
    for (const object of objects) passingJson(object, { mayKeep: true });
    expect(read).toEqual([5, 6, 7, 8, 9, 10]);
  });
});

describe('a list of very many', () => {
  it('keeps nothing that it reads, whatever room there is', () => {
    const { warm, append } = given(1e9);
    const events = [append('one'), append('two')];
    const [one, other] = events.map((event) => warm.known(event, event.resourceVersion));
    if (one === undefined || other === undefined) throw new Error('there are two');
    expect(other.json.length).toBeGreaterThan(0);
    const json = passingJson(one, { mayKeep: false });
    expect(json).toEqual(storedObject(events[0] as LoggedEvent).json);
    // What is kept already stays so.
    expect(passingJson(other, { mayKeep: false })).toBe(other.json);
    expect([isMade(one), isMade(other), warm.warm.objects]).toEqual([false, true, 1]);
  });
});

describe('an object of which only the version is known', () => {
  it('is read when it is asked for, and not kept by what only searches it', () => {
    const { warm, read, append } = given(1e9);
    const event = append('one');
    const object = warm.known(event, event.resourceVersion);
    expect(read).toEqual([]);
    expect(sizeOf(object)).toBe(event.json.length);
    expect([object.isStale, isMade(object), warm.warm.objects]).toEqual([false, false, 0]);
    expect(object.labels).toEqual({ a: '3' });
    expect(object.json).toEqual(storedObject(event).json);
    expect(read).toEqual([1, 1]);
    expect([isMade(object), warm.warm.objects]).toEqual([true, 1]);
  });

  it('that is not in the log any more is a fault', () => {
    const { warm } = given(1e9);
    const object = warm.known({ resource: 'core/configmaps', path: 'ns/a' }, resourceVersion(7));
    expect(() => object.json).toThrow('version 7 is not in the log any more');
  });
});

it('is the same object whatever was let go of in between', () => {
  const step = fc.record({
    what: fc.constantFrom('create', 'replace', 'known', 'json', 'labels', 'line', 'size'),
    which: fc.nat(20),
    length: fc.integer({ min: 0, max: 600 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.constantFrom(100, 3_000, 20_000),
      (steps, room) => {
        const { warm, append, records } = given(room);
        const objects: StoredObject[] = [];
        for (const { what, which, length } of steps) {
          const at = which % Math.max(1, objects.length);
          const object = objects[at];
          if (what === 'create' || object === undefined) {
            objects.push(warm.written(append('x'.repeat(length)), undefined));
            continue;
          }
          const event = records[object.resourceVersion - 1];
          if (event === undefined) throw new Error('it was made of a record');
          const plain = storedObject(event);
          if (what === 'replace') objects[at] = warm.written(append('y'.repeat(length)), object);
          else if (what === 'known') objects.push(warm.known(event, event.resourceVersion));
          else if (what === 'json') expect(object.json).toEqual(plain.json);
          else if (what === 'labels') expect(object.labels).toEqual(plain.labels);
          else if (what === 'line') expect(lineOf(object)).toEqual(lineOf(plain));
          else expect(sizeOf(object)).toBe(sizeOf(plain));
          const { objects: count, bytes } = warm.warm;
          expect(count).toBeGreaterThanOrEqual(0);
          expect(bytes <= room || count === 1).toBe(true);
        }
      },
    ),
  );
});
