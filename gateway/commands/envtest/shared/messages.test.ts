import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type FromPlanes, hear, readToPlanes, tell, type ToPlanes } from './messages.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-messages-'));
const server = createServer().listen(join(folder, 'socket'));

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function connected(): Promise<readonly [here: Socket, there: Socket]> {
  const arriving = once(server, 'connection') as Promise<[Socket]>; // As net tells it.
  const here = connect(join(folder, 'socket'));
  const [there] = await arriving;
  return [here, there];
}

it('brings each message whole and once, however it is cut', async () => {
  const [here, there] = await connected();
  const sent: FromPlanes[] = [
    { type: 'hello', pid: 1 },
    { type: 'said', stream: 'error', text: 'two\nlines, and ⊕\n' },
    { type: 'ended', code: 0 },
  ];
  const got: unknown[] = [];
  hear(here, (message) => got.push(message));
  const bytes = Buffer.from(sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
  for (const byte of bytes) there.write(Buffer.of(byte));
  there.end(bytes);
  await once(here, 'close');
  expect(got).toEqual([...sent, ...sent]);
});

it('goes both ways', async () => {
  const [here, there] = await connected();
  const got = new Promise((resolve) => {
    hear(there, resolve);
  });
  const message: ToPlanes = { type: 'start', argv: ['--a=b c'] };
  tell(here, message);
  expect(await got).toEqual(message);
  here.destroy();
});

it('is understood where it says something, and nothing else ends the process', async () => {
  const take = { type: 'take', flags: [], keep: undefined };
  expect(readToPlanes({ type: 'take' })).toEqual(take);
  expect(readToPlanes({ type: 'take', keep: 'logs' })).toEqual(take);
  expect(readToPlanes({ type: 'take', keep: '/logs' })).toEqual({ ...take, keep: '/logs' });
  expect(readToPlanes({ type: 'start', argv: ['--v=1'] })).toEqual({
    type: 'start',
    argv: ['--v=1'],
  });
  const nothing = [
    ...[null, 'take', 1, {}, { type: 'start' }, { type: 'start', argv: [1] }],
    ...[
      { type: 'take', flags: 'a' },
      { type: 'take', keep: 1 },
      { type: 'signal', signal: 'HUP' },
    ],
  ];
  for (const said of nothing) expect(readToPlanes(said)).toBeUndefined();

  const [here, there] = await connected();
  const got: unknown[] = [];
  hear(there, (message) => got.push(message));
  here.end('null\n{"type":\n{}\n');
  await once(there, 'close');
  expect(got).toEqual([null, {}]);
});
