/** Ends that are over while what they said is still on its way. */
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, createServer, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { CommandOutcome } from './command-outcome.ts';
import { JoinedConnections, STOPPING } from './joined-connections.ts';
import { dataHead, SpdyWriter } from './spdy-frames.ts';
import { splice } from './splice.ts';

/** An end that says and takes what the test wants, when it wants it. */
class Scripted extends Duplex {
  readonly taken: Buffer[] = [];
  #take: (() => void) | undefined;

  override _read(): void {
    // The test pushes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(chunk);
    this.#take = done;
  }

  /** Takes all that waits. */
  async takeAll(): Promise<void> {
    for (let done = this.#take; done !== undefined; done = this.#take) {
      this.#take = undefined;
      done();
      await turn();
    }
  }

  get text(): string {
    return Buffer.concat(this.taken).toString();
  }
}

const EMPTY = Buffer.alloc(0);
/** What the node has answered is not looked at. */
const BACKEND = { head: EMPTY, response: new IncomingMessage(new Socket()) };
const LONG = 'x'.repeat(40_000);

function joined(bytesPerSec = 0, isSpdy = false) {
  const clock = new ManualClock();
  const [near, far] = [new Scripted(), new Scripted()];
  const backend = { ...BACKEND, socket: far };
  splice({ socket: near, head: EMPTY }, backend, { clock, bytesPerSec }, { isSpdy });
  return { near, far, clock };
}

describe('two ends that are joined', () => {
  it.each([
    ['closed', (end: Duplex) => end.push(null)],
    ['was reset', (end: Duplex) => end.destroy(new Error('ECONNRESET'))],
    ['was closed at once', (end: Duplex) => end.destroy()],
  ])('give a slow client all that a node said before it %s', async (_how, over) => {
    const { near, far } = joined();
    for (const part of ['a', 'b', 'c', 'd']) far.push(part + LONG);
    await turn();
    over(far);
    await turn();
    expect(near.destroyed).toBe(false);
    await near.takeAll();
    expect(near.text).toBe(['a', 'b', 'c', 'd'].map((part) => part + LONG).join(''));
    expect(near.writableFinished).toBe(true);
  });

  it('give a slow node all that a client said before it was reset', async () => {
    const { near, far } = joined();
    for (const part of ['a', 'b', 'c']) near.push(part + LONG);
    await turn();
    near.destroy(new Error('ECONNRESET'));
    await turn();
    await far.takeAll();
    expect(far.text).toHaveLength(3 * LONG.length + 3);
  });

  it('let what is held back for its rate leave in its time', async () => {
    const { near, far, clock } = joined(40_001);
    for (const part of ['a', 'b', 'c']) far.push(part + LONG);
    await turn();
    far.destroy(new Error('ECONNRESET'));
    for (let second = 0; second < 4; second += 1) {
      await near.takeAll();
      clock.advance(1_000);
      await turn();
    }
    await near.takeAll();
    expect(near.text).toHaveLength(3 * LONG.length + 3);
  });

  it.each([
    ['to a node together', false, 'node', ['abc']],
    ['to a client of SPDY together', true, 'client', ['abc']],
    ['to another client one by one, since it may look for each', false, 'client', ['a', 'b', 'c']],
  ] as const)('pass on what comes in one turn %s', async (_how, isSpdy, whom, taken) => {
    const { near, far } = joined(0, isSpdy);
    const [from, into] = whom === 'node' ? [near, far] : [far, near];
    await turn();
    for (const part of ['a', 'b', 'c']) from.push(part);
    await turn();
    await into.takeAll();
    expect(into.taken.map(String)).toEqual(taken);
  });

  it('stop an end of which 256 KiB wait, until the other takes more', async () => {
    const { near, far } = joined(0, true);
    await turn();
    let pushed = 0;
    for (; pushed < 20 && !far.isPaused(); pushed += 1) far.push(LONG);
    expect(pushed).toBe(Math.ceil((256 * 1024) / LONG.length));
    await turn();
    expect([far.isPaused(), near.taken.length]).toEqual([true, 1]);
    await near.takeAll();
    expect(far.isPaused()).toBe(false);
  });

  it('do not wait for an end that takes nothing', async () => {
    const { near, far, clock } = joined();
    far.push('short');
    far.push(null);
    await turn();
    expect(near.destroyed).toBe(false);
    clock.advance(10_000);
    expect([near.destroyed, far.destroyed]).toEqual([true, true]);
  });
});

describe('two ends that are joined when the server stops', () => {
  const HEAD = new SpdyWriter().synStream(1, { streamtype: 'error' });

  function held(until: AbortSignal) {
    const clock = new ManualClock();
    const [near, far] = [new Scripted(), new Scripted()];
    const open = new JoinedConnections({ clock, until });
    const backend = { ...BACKEND, socket: far };
    const limits = { clock, bytesPerSec: 0 };
    const outcome = new CommandOutcome('v4.channel.k8s.io');
    open.hold(near, splice({ socket: near, head: HEAD }, backend, limits, { outcome }));
    return { near, far, clock };
  }

  it('tell a client of its command, behind what the node has said, and end', async () => {
    const stopping = new AbortController();
    const { near, far } = held(stopping.signal);
    far.push(Buffer.concat([dataHead(3, 6, false), Buffer.from('output')]));
    await turn();
    stopping.abort();
    await turn();
    await near.takeAll();
    expect(near.text).toMatch(/output.*"status":"Failure".*the API server is stopping/s);
    expect([near.writableFinished, far.writableEnded]).toEqual([true, true]);
  });

  it('tell nothing of a command whose end the node has told', async () => {
    const stopping = new AbortController();
    const { near, far } = held(stopping.signal);
    far.push(Buffer.concat([dataHead(1, 2, true), Buffer.from('{}')]));
    await turn();
    stopping.abort();
    await turn();
    await near.takeAll();
    expect(near.text.endsWith('{}')).toBe(true);
    expect(near.writableFinished).toBe(true);
  });

  it('end as well where they are joined while it stops', async () => {
    const { near } = held(AbortSignal.abort());
    await turn();
    await near.takeAll();
    expect(near.text).toContain(STOPPING);
  });

  it('wait ten seconds for a client that takes nothing', async () => {
    const stopping = new AbortController();
    const { near, far, clock } = held(stopping.signal);
    stopping.abort();
    await turn();
    clock.advance(9_999);
    expect(near.destroyed).toBe(false);
    clock.advance(1);
    await turn();
    expect([near.destroyed, far.destroyed, clock.waiting]).toEqual([true, true, 0]);
  });
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const end of closers.splice(0)) end();
});

/** Both ends of a connection of the system's. */
async function connected(): Promise<{ readonly client: Socket; readonly server: Socket }> {
  const listener = createServer({ allowHalfOpen: true });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { readonly port: number };
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [server] = (await once(listener, 'connection')) as [Socket];
  closers.push(() => {
    client.destroy();
    listener.close();
  });
  return { client, server };
}

/** The system takes more for a socket that has been read fast: what follows is there at once, unread. */
async function widened(from: Socket, to: Socket): Promise<void> {
  const bytes = 8 * 1024 * 1024;
  let read = 0;
  const all = new Promise<void>((resolve) => {
    to.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read === bytes) resolve();
    });
  });
  from.write(Buffer.alloc(bytes));
  await all;
  to.removeAllListeners('data');
  to.pause();
}

describe('a node that has closed', () => {
  it('is read to its end though it takes nothing more', async () => {
    const { client: node, server: far } = await connected();
    const clock = new ManualClock();
    const near = new Scripted();
    await widened(node, far);
    node.end(LONG.repeat(10));
    await once(node, 'finish');
    splice({ socket: near, head: EMPTY }, { ...BACKEND, socket: far }, { clock, bytesPerSec: 0 });
    node.destroy();
    await once(node, 'close');
    // The first is answered by a reset, and the others fail.
    for (let ping = 0; ping < 3 && !far.destroyed; ping += 1) {
      near.push('ping');
      await setTimeout(20);
    }
    while (!near.writableFinished && !near.destroyed) {
      await near.takeAll();
      await turn();
    }
    expect(near.text).toHaveLength(10 * LONG.length);
  });
});

describe('a client that still talks when its node has ended', () => {
  it('reads all that the node said', async () => {
    const { client, server } = await connected();
    const clock = new ManualClock();
    const far = new Scripted();
    const backend = { ...BACKEND, socket: far };
    splice({ socket: server, head: EMPTY }, backend, { clock, bytesPerSec: 0 });
    const count = 1_000;
    for (let at = 0; at < count; at += 1) far.push(LONG);
    far.push(null);
    let bytes = 0;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // As a ping of SPDY comes: the client has not seen the end yet, and the node has.
      client.write('ping');
    });
    client.on('error', () => undefined);
    await Promise.race([once(client, 'end'), once(client, 'close')]);
    expect(bytes).toBe(count * LONG.length);
  });
});
