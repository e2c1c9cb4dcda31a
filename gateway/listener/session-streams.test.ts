/** Real sessions of node, whose streams are kept in our table. */
import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { oldGenerationGrowth } from '../../actors/pipeline/old-generation.fixture.ts';
import { forgetStreamsThatAreOver } from './session-streams.ts';
import { until } from '../../tools/until.fixture.ts';

let server: Http2Server;
let client: ClientHttp2Session | undefined;

afterEach(() => {
  client?.destroy();
  client = undefined;
  server.close();
});

/** From Node 23 on more than the Map keeps streams that are over, so less is gained. */
const SHARE_LEFT = Number(process.versions.node.split('.')[0]) < 23 ? 0.3 : 0.95;

interface Serving {
  readonly session: ServerHttp2Session;
  readonly isDone: boolean;
}

async function serving(onStream: (stream: ServerHttp2Stream) => void): Promise<Serving> {
  const { address, session } = await listening(onStream);
  client = connect(address);
  client.on('error', () => undefined);
  return session;
}

async function listening(
  onStream: (stream: ServerHttp2Stream) => void,
  prepare: (session: ServerHttp2Session) => boolean = forgetStreamsThatAreOver,
): Promise<{ readonly address: string; readonly session: Promise<Serving> }> {
  server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    onStream(stream);
  });
  const session = new Promise<Serving>((resolve) => {
    server.on('session', (one) => {
      resolve({ session: one, isDone: prepare(one) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, session };
}

function asker(): ClientHttp2Session {
  if (client === undefined) throw new Error('no client is connected');
  return client;
}

async function ask(path: string): Promise<string> {
  const stream = asker().request({ ':path': path });
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(stream, 'close');
  return text;
}

function answerWithPath(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 });
  stream.end('an answer');
}

describe('the streams of a session', () => {
  it('are kept in our table: this node is known', async () => {
    const { isDone } = await serving(answerWithPath);
    expect(isDone).toBe(true);
    expect(forgetStreamsThatAreOver({} as unknown as ServerHttp2Session)).toBe(false);
  });

  it('are served many at once and one after the other', async () => {
    await serving(answerWithPath);
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/')));
      expect(new Set(answers)).toEqual(new Set(['an answer']));
    }
  });

  it('end before a session does that is closed', async () => {
    const open: ServerHttp2Stream[] = [];
    const { session } = await serving((stream) => open.push(stream));
    const asked = [ask('/a'), ask('/b')];
    await until(() => open.length >= 2);
    session.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(session.destroyed).toBe(false);
    for (const stream of open) answerWithPath(stream);
    expect(await Promise.all(asked)).toEqual(['an answer', 'an answer']);
    if (!session.destroyed) await once(session, 'close');
    expect(session.destroyed).toBe(true);
  });

  it('are all destroyed with their session', async () => {
    const open: ServerHttp2Stream[] = [];
    const { session } = await serving((stream) => open.push(stream));
    const closed = ['/a', '/b', '/c'].map((path) =>
      once(asker().request({ ':path': path }), 'close'),
    );
    for (const one of closed) one.catch(() => undefined);
    await until(() => open.length >= 3);
    session.destroy();
    for (const stream of open) if (!stream.destroyed) await once(stream, 'close');
    expect(open.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  });

  it('have an error when they are over, that node need not make, and no listener is told', async () => {
    const told: unknown[] = [];
    const over: unknown[] = [];
    await serving((stream) => {
      stream.on('error', (error) => told.push(error));
      stream.resume().once('end', () => {
        answerWithPath(stream);
        expect(stream.errored).toBeNull();
      });
      stream.once('close', () => over.push(Reflect.get(stream, '_writableState')));
    });
    const request = asker().request({ ':path': '/', ':method': 'POST' });
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.end('a body');
    await once(request, 'close');
    await until(() => over.length > 0);
    expect({ text, told }).toEqual({ text: 'an answer', told: [] });
    expect(over).toMatchObject([{ errored: new Error('the stream is over') }]);
  });

  it('leave little behind when they are over', async () => {
    let inNodesMap = 0;
    let left = Number.POSITIVE_INFINITY;
    // What other tests of this process do meanwhile adds to either, and their garbage takes from it.
    for (let more = 0; more < 6 && left >= inNodesMap * SHARE_LEFT; more += 1) {
      inNodesMap = Math.max(inNodesMap, await growth(() => true));
      left = Math.min(left, await growth(forgetStreamsThatAreOver));
    }
    expect(left).toBeLessThan(inNodesMap * SHARE_LEFT);
  });
});

/** Asks 16 at a time, in a heap of its own. */
const CLIENT = `
  const { connect } = require('node:http2');
  const { parentPort, workerData } = require('node:worker_threads');
  const session = connect(workerData);
  const asking = (each) => Promise.all(Array.from({ length: 16 }, () => new Promise((resolve) => {
    const next = (left) => {
      if (left === 0) return resolve();
      session.request({ ':path': '/' }).on('close', () => next(left - 1)).resume();
    };
    next(each);
  })));
  parentPort.on('message', (each) => asking(each).then(() => parentPort.postMessage('done')));
`;

async function growth(prepare: (session: ServerHttp2Session) => boolean): Promise<number> {
  const { address } = await listening(answerWithPath, prepare);
  const worker = new Worker(CLIENT, { eval: true, workerData: address });
  const asking = async (): Promise<void> => {
    worker.postMessage(250);
    await once(worker, 'message');
  };
  await asking();
  const grown = await oldGenerationGrowth(asking);
  await worker.terminate();
  return grown;
}
