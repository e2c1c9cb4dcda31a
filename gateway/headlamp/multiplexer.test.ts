import { beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingMessage } from '../live/live-wire.ts';
import { outgoing } from '../live/live-wire.ts';
import { parseHeadlampClusters } from '../flags/headlamp-clusters.ts';
import { Multiplexer } from './multiplexer.ts';

const PODS = {
  clusterId: 'everwatch',
  path: '/api/v1/pods',
  query: 'watch=1&resourceVersion=12&labelSelector=a%3Db&retryCount=1',
  userId: 'u',
};

let said: Record<string, unknown>[] = [];
let asked: Record<string, unknown>[] = [];
let multiplexer: Multiplexer;

beforeEach(() => {
  said = [];
  asked = [];
  const wire = {
    isFull: false,
    send: ({ parts }: OutgoingMessage) => {
      said.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
    },
    flush: () => undefined,
    close: () => undefined,
  };
  multiplexer = new Multiplexer(wire, parseHeadlampClusters(['then=/at/12/still']));
  multiplexer.use({
    receive: (text: string) => {
      asked.push(JSON.parse(text) as Record<string, unknown>);
    },
    drained: () => undefined,
    end: () => undefined,
    closed: () => undefined,
  });
});

const request = (more: object = {}): void => {
  multiplexer.receive(JSON.stringify({ ...PODS, type: 'REQUEST', ...more }));
};
const next = (more: object = {}): void => {
  const message = { type: 'next', id: '1', revision: '13', initial: false, reset: false };
  const events = [{ type: 'ADDED', object: { metadata: { resourceVersion: '13' } } }];
  multiplexer.send(outgoing({ ...message, events, ...more } as never));
};
const types = (): unknown[] => said.map(({ type }) => type);

describe('a watch of the page', () => {
  it('is a subscription behind the version that it names, with its selectors and no more', () => {
    request();
    expect(asked).toEqual([
      { type: 'subscribe', id: '1', path: PODS.path, query: 'labelSelector=a%3Db', from: '12' },
    ]);
  });

  it('may be asked for behind the base of the page, and is answered there', () => {
    const path = `/everwatch/headlamp${PODS.path}`;
    request({ path });
    expect(asked).toMatchObject([{ type: 'subscribe', path: PODS.path }]);
    next();
    expect(said.at(-1)).toMatchObject({ type: 'DATA', path });
  });

  it('of another cluster is one to the place that this is of', () => {
    request({ clusterId: 'then' });
    request({ clusterId: 'other' });
    expect(asked).toMatchObject([{ type: 'subscribe', path: `/at/12/still${PODS.path}` }]);
    next();
    expect(said).toMatchObject([
      { type: 'ERROR', clusterId: 'other' },
      { type: 'STATUS', clusterId: 'then' },
      { type: 'DATA', clusterId: 'then', path: PODS.path },
    ]);
  });

  it.each(['0', ''])('begins with the objects, where its version is "%s"', (version) => {
    request({ query: `watch=1&resourceVersion=${version}` });
    expect(asked).toEqual([{ type: 'subscribe', id: '1', path: PODS.path, query: '' }]);
  });

  it('is shown each event as text, and told once that all is there', () => {
    request();
    next();
    multiplexer.send(outgoing({ type: 'caughtUp', id: '1', revision: '13' }));
    multiplexer.send(outgoing({ type: 'caughtUp', id: '1', revision: '14' }));
    expect(types()).toEqual(['STATUS', 'DATA', 'COMPLETE']);
    const object = { metadata: { resourceVersion: '13' } };
    const data = JSON.stringify({ type: 'ADDED', object });
    expect(said[1]).toEqual({ ...PODS, type: 'DATA', data });
    expect(JSON.parse(String(said[0]?.['data']))).toEqual({ state: 'connected', error: '' });
  });

  it('has whole numbers that no double can hold', () => {
    request();
    const text =
      '{"type":"next","id":"1","events":[{"type":"ADDED","object":{"n":9007199254740993}}]}';
    multiplexer.send({ type: 'next', parts: [Buffer.from(text)] });
    expect(said[1]?.['data']).toContain('9007199254740993');
  });

  it('is one of many, told apart by the query too, and ends alone', () => {
    request();
    request({ query: 'watch=1' });
    request();
    expect(asked.map(({ id }) => id)).toEqual(['1', '2']);
    multiplexer.receive(JSON.stringify({ ...PODS, type: 'CLOSE' }));
    expect(asked.at(-1)).toEqual({ type: 'unsubscribe', id: '1' });
    multiplexer.send(outgoing({ type: 'complete', id: '1' }));
    expect(JSON.parse(String(said[0]?.['data']))).toEqual({ state: 'closed', error: '' });
    next();
    expect(types()).toEqual(['STATUS']);
    request();
    expect(asked.at(-1)).toMatchObject({ type: 'subscribe', id: '3' });
  });

  it('is told why it is refused, and may be asked for again', () => {
    request();
    const status = { message: 'pods is forbidden', code: 403 };
    multiplexer.send(outgoing({ type: 'error', id: '1', status } as never));
    expect(said).toEqual([{ ...PODS, type: 'ERROR', data: '{"error":"pods is forbidden"}' }]);
    request();
    expect(asked.at(-1)).toMatchObject({ type: 'subscribe', id: '2' });
  });

  it('ends with an error where what was shown is void', () => {
    request();
    multiplexer.send(outgoing({ type: 'caughtUp', id: '1', revision: '13' }));
    next({ reset: true });
    expect(types()).toEqual(['STATUS', 'COMPLETE', 'ERROR']);
    expect(asked.at(-1)).toEqual({ type: 'unsubscribe', id: '1' });
  });
});

describe('what makes no sense', () => {
  it.each(['', '[]', 'null', '"a"', '{"type":"REQUEST"}', '{"path":1}'])(
    'is passed over: %s',
    (text) => {
      multiplexer.receive(text);
      expect([said, asked]).toEqual([[], []]);
    },
  );

  it('is refused where it can be told which watch is meant', () => {
    request({ clusterId: 'other' });
    request({ type: 'WRITE' });
    expect(types()).toEqual(['ERROR', 'ERROR']);
    expect(asked).toEqual([]);
  });
});
