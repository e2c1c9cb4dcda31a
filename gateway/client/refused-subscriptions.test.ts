import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../api/live/live-messages.ts';
import { caughtUp, PODS, state, told } from './given-messages.fixture.ts';
import { givenClient, WELCOME } from './given-socket.fixture.ts';

describe('a subscription that the server refuses for now', () => {
  const refusal = (code: number, retryAfterSeconds: number): ServerMessage => ({
    type: 'error',
    id: 's1',
    status: { code, message: 'too many', details: { retryAfterSeconds } },
  });
  const subscribed = (sent: readonly { type: string }[]) =>
    sent.filter(({ type }) => type === 'subscribe').length;

  it('is asked for again when the time is over that it named, and not again behind its end', () => {
    const { client, newest, pass } = givenClient();
    const heard: string[] = [];
    const one = client.watch(PODS).subscribe((change) => heard.push(told(change)));
    newest().say(WELCOME, refusal(429, 3));
    pass(2_999);
    expect(subscribed(newest().sent)).toBe(1);
    pass(1);
    expect(subscribed(newest().sent)).toBe(2);
    newest().say(state('s1', '5', 'a'), caughtUp('s1', '5'));
    expect(heard).toEqual(['RESET', 'ADDED 5', 'CAUGHT_UP']);
    newest().say(refusal(503, 1));
    one.unsubscribe();
    pass(10_000);
    expect(subscribed(newest().sent)).toBe(2);
  });

  it('goes on where it was', () => {
    const { client, newest, pass } = givenClient();
    client.watch(PODS).subscribe();
    newest().say(WELCOME, state('s1', '5', 'a'), caughtUp('s1', '5'), refusal(503, 1));
    pass(1_000);
    expect(newest().sent.at(-1)).toMatchObject({ type: 'subscribe', id: 's1', from: '5' });
  });

  it('is asked for once on a connection that came meanwhile', () => {
    const { client, newest, pass } = givenClient();
    client.watch(PODS).subscribe();
    newest().say(WELCOME, refusal(429, 3));
    newest().lose();
    pass(200);
    newest().say(WELCOME);
    pass(10_000);
    expect(subscribed(newest().sent)).toBe(1);
  });

  it('ends when it was refused too often, or for good', () => {
    const { client, newest, pass } = givenClient();
    const codes: number[] = [];
    client.watch(PODS).subscribe({ error: ({ code }: { code: number }) => codes.push(code) });
    newest().say(WELCOME);
    for (let nth = 0; nth < 10; nth += 1) {
      newest().say(refusal(429, 1));
      expect(codes).toEqual([]);
      pass(15_000);
      newest().say({ type: 'pong' });
    }
    newest().say(refusal(429, 1));
    expect(codes).toEqual([429]);
    client.watch(PODS).subscribe({ error: ({ code }: { code: number }) => codes.push(code) });
    newest().say({ ...refusal(403, 0), id: 's2' } as ServerMessage);
    expect(codes).toEqual([429, 403]);
  });
});
