import { describe, expect, it } from 'vitest';
import type { Clock } from '../../api/meta/clock.ts';
import {
  connectionMachine,
  type ConnectionEvent,
  type ConnectionStatus,
} from './kafka-connection.machine.ts';

const UNREACHABLE_AFTER_MS = 10_000;

function given() {
  let nowMs = 0;
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => nowMs,
    after(delayMs, callback) {
      timers.set(callback, nowMs + delayMs);
      return () => timers.delete(callback);
    },
  };
  const told: ConnectionStatus[] = [];
  const machine = connectionMachine({
    clock,
    unreachableAfterMs: UNREACHABLE_AFTER_MS,
    onState: (status) => told.push(status),
  });
  return {
    machine,
    told,
    send(...events: ConnectionEvent[]) {
      for (const event of events) machine.send(event);
      return machine.status.state;
    },
    pass(ms: number) {
      nowMs += ms;
      for (const [callback, atMs] of [...timers]) {
        if (atMs > nowMs) continue;
        timers.delete(callback);
        callback();
      }
    },
  };
}

const OPENED: ConnectionEvent = { type: 'opened' };
const LOST: ConnectionEvent = { type: 'lost', reason: 'the leader is gone' };
const FAILED: ConnectionEvent = { type: 'failed', reason: 'no broker answers' };

describe('the connection with Kafka', () => {
  it('begins connecting, and is unreachable when that takes too long', () => {
    const { machine, send, pass, told } = given();
    expect(machine.status).toEqual({ state: 'connecting', since: 0, reason: '' });
    pass(UNREACHABLE_AFTER_MS - 1);
    expect(send(FAILED)).toBe('connecting');
    pass(1);
    expect(machine.status).toEqual({
      state: 'unreachable',
      since: UNREACHABLE_AFTER_MS,
      reason: 'no broker answers',
    });
    expect(told.map(({ state }) => state)).toEqual(['unreachable']);
  });

  it('is made anew when it is lost, and only then is it counted how long that takes', () => {
    const { machine, send, pass } = given();
    expect(send(OPENED)).toBe('connected');
    pass(10 * UNREACHABLE_AFTER_MS);
    expect(machine.status.state).toBe('connected');
    expect(send(LOST)).toBe('reconnecting');
    expect(machine.status.reason).toBe('the leader is gone');
    pass(UNREACHABLE_AFTER_MS - 1);
    expect(send(OPENED)).toBe('connected');
    expect(machine.status.reason).toBe('');
    pass(1);
    expect(machine.status.state).toBe('connected');
  });

  it('comes back from unreachable as soon as there is a leader', () => {
    const { machine, send, pass, told } = given();
    send(OPENED, LOST, FAILED);
    pass(UNREACHABLE_AFTER_MS);
    expect(machine.status).toMatchObject({ state: 'unreachable', reason: 'no broker answers' });
    const since = machine.status.since;
    pass(1_000);
    send({ type: 'failed', reason: 'still no broker' });
    expect(machine.status).toEqual({ state: 'unreachable', since, reason: 'still no broker' });
    expect(send(OPENED)).toBe('connected');
    expect(told.map(({ state }) => state)).toEqual([
      'connected',
      'reconnecting',
      'unreachable',
      'connected',
    ]);
  });

  it('is degraded from a refusal until the next record is written', () => {
    const { machine, send } = given();
    send(OPENED, { type: 'refused', reason: 'too few replicas' });
    expect(machine.status).toMatchObject({ state: 'degraded', reason: 'too few replicas' });
    expect(send({ type: 'written' })).toBe('connected');
    send({ type: 'refused', reason: 'again' });
    expect(send(LOST)).toBe('reconnecting');
  });

  it('stops from everywhere, for good', () => {
    const ways: ConnectionEvent[][] = [
      [],
      [OPENED],
      [OPENED, LOST],
      [OPENED, { type: 'refused', reason: '' }],
    ];
    for (const way of ways) {
      const { send, machine } = given();
      expect(send(...way, { type: 'stop' })).toBe('stopped');
      expect(send(OPENED, LOST)).toBe('stopped');
      expect(machine.status.reason).toBe('');
    }
  });
});
