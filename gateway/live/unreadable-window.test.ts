/** A row is read when it is shown. Where that fails, its subscription ends, and nothing else does. */
import { expect, it } from 'vitest';
import type { ClientMessage } from '../../api/live/live-messages.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type { ReceivedRequest, UserInfo } from '../../actors/request/request.ts';
import { alwaysAllow } from '../../actors/authorization/server-authorizer.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { plannedWatch, turn } from '../watch/given-session.fixture.ts';
import { WatchSessions } from '../watch/watch-sessions.ts';
import { LiveHub } from './live-hub.ts';

const PATH = '/api/v1/configmaps';
const ALICE: UserInfo = { name: 'alice', uid: '', groups: [], extra: {} };
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
  const unused = (): never => {
    throw new Error('nothing else fails here');
  };
  const hub = new LiveHub({
    ...{ clock, authorizer: alwaysAllow },
    sessions: new WatchSessions({ clock, failed: unused }),
    faults: { record: unused, answer: unused, count: 0 },
    authenticator: { authenticate: () => ({ verdict: 'identified', user: ALICE }) },
    chain: {
      send(request: ReceivedRequest) {
        const { method, path, query } = request;
        const routed = request.routedAs(resolveRequestInfo(method, path, query));
        const plan = plannedWatch(views);
        routed.identifiedAs(ALICE).reply({ kind: 'Watch', served: configMaps, plan });
      },
    },
  });
  const sent: { readonly type: string; readonly id?: string }[] = [];
  const wire = {
    isFull: false,
    send: ({ parts }: { readonly parts: readonly Buffer[] }) =>
      // The messages of the protocol have both.
      void sent.push(JSON.parse(Buffer.concat(parts).toString()) as { type: string; id?: string }),
    flush: () => undefined,
    close: () => undefined,
  };
  const connection = { remoteAddress: '', clientCertificate: () => undefined };
  const opening = { headers: {}, rawHeaders: [], connection };
  const live = hub.open(wire, opening, () => undefined);
  /** What is sent within a second, behind a message. */
  const told = async (message?: ClientMessage) => {
    sent.length = 0;
    if (message !== undefined) live.receive(JSON.stringify(message));
    for (let step = 0; step < 20; step += 1) {
      for (let nth = 0; nth < 5; nth += 1) await turn();
      clock.advance(50);
    }
    return [...sent];
  };
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
