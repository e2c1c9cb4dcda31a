import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { PlaneHost } from './plane-host.ts';

/** A connection as far as a host has to do with it. */
class Line extends EventEmitter {
  readonly told: unknown[] = [];
  destroyed = false;
  writableLength = 0;

  write(text: string): boolean {
    this.told.push(JSON.parse(text));
    return true;
  }
}

function given() {
  const line = new Line();
  const host = new PlaneHost(line as unknown as Socket); // It uses no more of it.
  const heard: string[] = [];
  const listen = (): void => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      host.signals.on(signal, () => heard.push(signal));
    }
  };
  return { line, host, heard, listen };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('gives signals to the server, also one that came before it listened', async () => {
  const early = given();
  early.host.signal('SIGTERM');
  early.listen();
  expect(early.heard).toEqual([]);
  await turn();
  expect(early.heard).toEqual(['SIGTERM']);
  const { host, heard, listen } = given();
  listen();
  host.signal('SIGINT');
  host.signal('SIGTERM');
  expect(heard).toEqual(['SIGINT', 'SIGTERM']);
});

it('tells how it ended, once', () => {
  const { host, line, heard, listen } = given();
  let ends = 0;
  host.whenEnding(() => (ends += 1));
  listen();
  host.exit(0);
  host.exit(1);
  expect([line.told, ends]).toEqual([[{ type: 'ended', code: 0 }], 1]);
  // A process that ends closes its port; here the server has to be told.
  expect(heard).toEqual(['SIGTERM']);
});

it('stops a server whose stand-in has gone, unless it is stopping', () => {
  const { host, heard, listen } = given();
  listen();
  host.signal('SIGTERM');
  host.stop();
  expect(heard).toEqual(['SIGTERM']);
});

it('says what the server says, and what it cannot say', () => {
  const { host, line } = given();
  expect(host.write.error('a\n')).toBeUndefined();
  line.writableLength = 2 ** 30;
  expect(host.write.info('b\n')).toBe('the reader is slow');
  line.destroyed = true;
  expect(host.write.info('c\n')).toBe('there is no reader');
  expect(line.told).toEqual([{ type: 'said', stream: 'error', text: 'a\n' }]);
});

it('tells a suite that takes it what it has said before', () => {
  const host = new PlaneHost();
  const line = new Line();
  expect(host.write.error('a\n')).toBeUndefined();
  host.exit(1);
  expect(host.isEnded).toBe(true);
  host.belongTo(line as unknown as Socket); // It uses no more of it.
  expect(line.told).toEqual([
    { type: 'said', stream: 'error', text: 'a\n' },
    { type: 'ended', code: 1 },
  ]);
});
