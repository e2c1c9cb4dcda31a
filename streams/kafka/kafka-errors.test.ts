import { describe, expect, it } from 'vitest';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import {
  appendErrorOf,
  BrokerError,
  isNewLeader,
  kindOf,
  lacksReplicas,
  leavesLeader,
  RequestTimeoutError,
} from './kafka-errors.ts';

/** Every code that Kafka has. */
const CODES = Array.from({ length: 135 }, (_, index) => index - 1).filter((code) => code !== 0);
const REFUSED = [10, 19, 29, 31, 87];

describe('what a failed append means', () => {
  it('is that nothing was written when nothing was sent', () => {
    for (const error of [new Error('Connection error'), new BrokerError('Produce', 7), 'odd']) {
      const meaning = appendErrorOf(error, false);
      expect(meaning).toBeInstanceOf(LogUnavailableError);
      expect(meaning).toMatchObject({ isPassing: true, cause: error });
    }
  });

  it('is unknown, except where the leader says that it refused', () => {
    for (const code of CODES) {
      const meaning = appendErrorOf(new BrokerError('Produce', code), true);
      const expected = REFUSED.includes(code) ? LogUnavailableError : AppendOutcomeUnknownError;
      expect(meaning, String(code)).toBeInstanceOf(expected);
    }
    for (const error of [new RequestTimeoutError('late'), new Error('Closed connection'), null]) {
      expect(appendErrorOf(error, true)).toBeInstanceOf(AppendOutcomeUnknownError);
    }
  });

  it('is not taken for a refusal when a leader was deposed with the records in its log', () => {
    expect(appendErrorOf(new BrokerError('Produce', 6), true)).toBeInstanceOf(
      AppendOutcomeUnknownError,
    );
    expect(appendErrorOf(new BrokerError('Produce', 20), true)).toBeInstanceOf(
      AppendOutcomeUnknownError,
    );
  });

  it('is likely to pass when replicas are missing, and not when the records are refused', () => {
    expect(appendErrorOf(new BrokerError('Produce', 19), true)).toMatchObject({ isPassing: true });
    expect(appendErrorOf(new BrokerError('Produce', 10), true)).toMatchObject({ isPassing: false });
  });
});

describe('an error of a broker', () => {
  it('keeps the connection only where the same leader can go on', () => {
    const kept = CODES.filter((code) => leavesLeader(new BrokerError('Produce', code)));
    expect(kept).toEqual([1, 5, 7, 10, 19, 20, 29, 31, 78, 87]);
    expect(kept.filter((code) => isNewLeader(new BrokerError('ListOffsets', code)))).toEqual([
      5, 78,
    ]);
    const unnamed = kept.filter((code) =>
      kindOf(new BrokerError('Fetch', code)).startsWith('error_'),
    );
    expect(unnamed, 'what the leader is asked again after is told by its name').toEqual([]);
    expect(isNewLeader(new Error('LEADER_NOT_AVAILABLE'))).toBe(false);
    expect(leavesLeader(new RequestTimeoutError('late'))).toBe(false);
  });

  it('has a name for people and for counting', () => {
    const error = new BrokerError('Produce', 19);
    expect(error.message).toBe('Produce was answered with NOT_ENOUGH_REPLICAS');
    expect([kindOf(error), kindOf(new BrokerError('Fetch', 99)), kindOf('odd')]).toEqual([
      'NOT_ENOUGH_REPLICAS',
      'error_99',
      'unknown',
    ]);
    expect([19, 20, 7].map((code) => lacksReplicas(new BrokerError('Produce', code)))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
