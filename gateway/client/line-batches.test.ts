import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../api/live/live-messages.ts';
import { givenClient, WELCOME } from './given-socket.fixture.ts';

describe('lines in portions', () => {
  it('are acknowledged when the reader comes for the next one', async () => {
    const { client, newest } = givenClient();
    newest().say(WELCOME);
    const portions = client.lineBatches('/everwatch/v1/log?from=1&to=3');
    const first = portions.next();
    const line = (revision: string): ServerMessage => ({
      type: 'next',
      id: 's1',
      revision,
      events: [{ type: 'LINE', object: { resourceVersion: Number(revision) } }],
    });
    newest().say(line('1'), line('2'));
    const acks = () => newest().sent.filter(({ type }) => type === 'ack');
    expect((await first).value).toEqual([{ resourceVersion: 1 }]);
    expect(acks()).toEqual([]);
    expect((await portions.next()).value).toEqual([{ resourceVersion: 2 }]);
    expect(acks()).toEqual([{ type: 'ack', id: 's1', revision: '1' }]);
    const third = portions.next();
    newest().say(line('3'));
    expect((await third).value).toEqual([{ resourceVersion: 3 }]);
    // That was the last one that was asked for.
    expect((await portions.next()).done).toBe(true);
  });

  it('end with the error of the server', async () => {
    const { client, newest } = givenClient();
    newest().say(WELCOME);
    const first = client.lineBatches('/everwatch/v1/log').next();
    newest().say({ type: 'error', id: 's1', status: { code: 403, message: 'no' } });
    await expect(first).rejects.toMatchObject({ code: 403, message: 'no' });
  });
});
