import { expect, it } from 'vitest';
import type { CommittedEvent } from '../../streams/event.ts';
import { startEventExpiry, type EventExpiryParts } from './event-expiry.ts';
import { givenControllers } from './given-controllers.fixture.ts';

const HOUR_MS = 3_600_000;
const EVENTS = '/api/v1/namespaces/default/events';

function event(name: string, metadata: object = {}) {
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', ...metadata },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
    reason: 'Pulled',
  };
}

async function given({ ttlMs = HOUR_MS }: Partial<EventExpiryParts> = {}) {
  const plane = await givenControllers();
  const { committer, random } = plane.context;
  const failures: unknown[] = [];
  const parts: EventExpiryParts = {
    ...{ committer, random, ttlMs },
    objects: plane.objects,
    log: plane.log,
    listen: plane.parts.listen,
    clock: plane.clock,
    failed: (error) => failures.push(error),
  };
  const gone: CommittedEvent[] = [];
  plane.parts.listen((change) => {
    if (change.type === 'deleted') gone.push(change);
  });
  return {
    ...plane,
    expiryParts: parts,
    failures,
    gone,
    start: () => startEventExpiry(parts),
    async create(name: string, metadata: object = {}) {
      expect((await plane.post(EVENTS, event(name, metadata))).code).toBe(201);
    },
    async isThere(name: string) {
      return (await plane.find(`${EVENTS}/${name}`)) !== undefined;
    },
    /** Lets everything happen that is due, and a little more. */
    async settle() {
      for (let turn = 0; turn < 300; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        plane.clock.advance(10);
      }
    },
  };
}

it('removes an event an hour after it was written last', async () => {
  const plane = await given();
  const expiry = plane.start();
  await plane.create('first');
  plane.clock.advance(HOUR_MS / 2);
  await plane.create('second');
  await plane.patch(`${EVENTS}/first`, 'merge', { count: 2 });
  await plane.create('third');
  plane.clock.advance(HOUR_MS / 2);
  await plane.settle();
  expect(await plane.isThere('first')).toBe(true);
  plane.clock.advance(HOUR_MS / 2 - 10_000);
  await plane.settle();
  expect(plane.gone).toEqual([]);
  plane.clock.advance(10_000);
  await plane.settle();
  expect(plane.gone.map(({ path }) => path)).toEqual([
    'default/second',
    'default/first',
    'default/third',
  ]);
  await expiry.stop();
  expect(plane.failures).toEqual([]);
});

it('removes what expired while no server ran, and leaves everything else', async () => {
  const plane = await given();
  await plane.create('old', { finalizers: ['example.com/kept'] });
  await plane.post('/api/v1/namespaces/default/configmaps', {
    ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'events' } },
  });
  plane.clock.advance(HOUR_MS - 1);
  await plane.create('young');
  plane.clock.advance(1);
  const expiry = plane.start();
  await plane.settle();
  expect(plane.gone.map(({ path }) => path)).toEqual(['default/old']);
  expect(await plane.isThere('young')).toBe(true);
  await expiry.stop();
});

it('leaves an event alone that is written while it is being removed', async () => {
  const plane = await given();
  await plane.create('touched');
  plane.clock.advance(HOUR_MS);
  // Behind the look of the expiry, and in front of its removal in the log.
  const { committer } = plane.expiryParts;
  let touched: Promise<unknown> = Promise.resolve();
  const expiry = startEventExpiry({
    ...plane.expiryParts,
    committer: {
      commit(change, committed) {
        touched = plane.elsewhere('core/events', 'default/touched', (object) => {
          object['count'] = 2;
          return undefined;
        });
        touched.then(
          () => {
            committer.commit(change, committed);
          },
          () => undefined,
        );
      },
    },
    // The other server wrote just now, whatever the fixture says of its time.
    log: { at: (version) => withTime(plane.log.at(version), plane.clock.now()) },
  });
  plane.clock.advance(HOUR_MS);
  await plane.settle();
  expect(plane.failures).toEqual([]);
  expect((await plane.find(`${EVENTS}/touched`))?.['count']).toBe(2);
  await expiry.stop();
});

function withTime<Record extends { readonly writer: string }>(
  record: Record | undefined,
  time: number,
): Record | undefined {
  return record?.writer.startsWith('elsewhere') === true ? { ...record, time } : record;
}

it('removes each of many once, whichever of several servers is first', async () => {
  const plane = await given();
  for (let at = 0; at < 200; at += 1) await plane.create(`e${String(at)}`);
  const expiries = [plane.start(), plane.start(), plane.start()];
  plane.clock.advance(HOUR_MS);
  await plane.settle();
  expect(new Set(plane.gone.map(({ path }) => path)).size).toBe(200);
  expect(plane.gone).toHaveLength(200);
  await Promise.all(expiries.map((expiry) => expiry.stop()));
  expect(plane.failures).toEqual([]);
});

it('tries again where the log takes nothing, and is silent once it is stopped', async () => {
  const plane = await given();
  await plane.create('late');
  let refusals = 3;
  const { committer } = plane.expiryParts;
  const expiry = startEventExpiry({
    ...plane.expiryParts,
    committer: {
      commit(change, committed) {
        refusals -= 1;
        if (refusals < 0) committer.commit(change, committed);
        else committed({ kind: 'unavailable' });
      },
    },
  });
  plane.clock.advance(HOUR_MS);
  await plane.settle();
  expect(await plane.isThere('late')).toBe(true);
  for (let times = 0; times < 8; times += 1) await plane.settle();
  expect(await plane.isThere('late')).toBe(false);
  await plane.create('last');
  await expiry.stop();
  plane.clock.advance(2 * HOUR_MS);
  await plane.settle();
  expect(await plane.isThere('last')).toBe(true);
});

it('removes nothing where events live for ever', async () => {
  const plane = await given({ ttlMs: 0 });
  const expiry = plane.start();
  await plane.create('kept');
  plane.clock.advance(1000 * HOUR_MS);
  await plane.settle();
  expect(await plane.isThere('kept')).toBe(true);
  await expiry.stop();
});
