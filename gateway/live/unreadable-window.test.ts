/** A row is read when it is shown. Where that fails, its subscription ends, and nothing else does. */
import { expect, it } from 'vitest';
import type { ClientMessage } from '../../api/live/live-messages.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { plannedWatch } from '../watch/given-session.fixture.ts';
import { givenHub } from './given-hub.fixture.ts';

const PATH = '/api/v1/configmaps';
/** More than is kept in memory. */
const OBJECTS = 60;

/** A connection to views of many ConfigMaps, some of whose records may be gone from the log. */
async function given() {
  const views = await givenViews();
  const { clock, log } = views;
  const paths = Array.from({ length: OBJECTS }, (_, at) => `ns/n${String(at).padStart(2, '0')}`);
  for (const path of paths) await views.append({ path, data: 'x'.repeat(300) });
  const read = log.at.bind(log);
  let isGone = (_event: LoggedEvent): boolean => false;
  log.at = (version) => {
    const event = read(version);
    if (event !== undefined && isGone(event)) throw new Error(`${event.path} is cut`);
    return event;
  };
  const { hub, told } = givenHub(clock, () => {
    return { kind: 'Watch', served: configMaps, plan: plannedWatch(views) };
  });
  const lose = (path: string): void => {
    isGone = (event) => event.path === path;
  };
  return { ...views, hub, told, lose };
}

const columns = ['Name', { name: 'Value', jsonPath: '.data.value' }];
const at = (offset: number) => ({ offset, limit: 5 });
const subscribe = (id: string, offset: number): ClientMessage => {
  return { type: 'subscribe', id, path: PATH, columns, window: at(offset) };
};
const ended = {
  type: 'error',
  id: 'w',
  status: { code: 500, message: expect.stringContaining('is cut') as unknown },
};

it('ends when its first frame cannot be read, and is told why', async () => {
  const { hub, told, lose, stop } = await given();
  lose('ns/n02');
  expect(await told(subscribe('w', 0))).toMatchObject([ended]);
  expect(hub.subscriptionCount).toBe(0);
  expect(await told(subscribe('other', 10))).toMatchObject([{ type: 'rows', id: 'other' }]);
  await stop();
});

it('ends when it is scrolled to a row that cannot be read, and others go on', async () => {
  const { hub, told, lose, append, stop } = await given();
  expect(await told(subscribe('w', 0))).toMatchObject([{ type: 'rows', id: 'w' }]);
  expect(await told(subscribe('other', 50))).toMatchObject([{ type: 'rows', id: 'other' }]);
  lose('ns/n22');
  expect(await told({ type: 'window', id: 'w', window: at(20) })).toMatchObject([ended]);
  expect(hub.subscriptionCount).toBe(1);
  await append({ path: 'ns/n60', data: 'new' });
  expect(await told()).toMatchObject([{ type: 'rows', id: 'other', total: OBJECTS + 1 }]);
  expect(await told(subscribe('w', 0))).toMatchObject([{ type: 'rows', id: 'w' }]);
  await stop();
});

it('ends when a change moves a row into it that cannot be read', async () => {
  const { told, lose, append, stop } = await given();
  expect(await told(subscribe('w', 0))).toMatchObject([{ type: 'rows', id: 'w' }]);
  lose('ns/n05');
  const previous = 1;
  await append({ path: 'ns/n00', type: 'deleted', previous });
  expect(await told()).toMatchObject([ended]);
  expect(await told({ type: 'ping' })).toEqual([{ type: 'pong' }]);
  await stop();
});
