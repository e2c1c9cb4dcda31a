import { describe, expect, it } from 'vitest';
import { parseKeep, parseKeepPerResource, RETENTION_SETTINGS } from './storage-settings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('how long the past is kept', () => {
  it.each([
    ['720h', { kind: 'for', ms: 30 * DAY_MS }],
    ['1h30m', { kind: 'for', ms: 5_400_000 }],
    ['100000', { kind: 'events', count: 100_000 }],
    ['forever', { kind: 'ever' }],
  ])('is read from %s', (text, keep) => {
    expect(parseKeep(text)).toEqual(keep);
  });

  it.each(['', '0', '-1', '-1h', '0s', '1e3', '1.5', '7d', 'ever', '9999999999999999', '1ns'])(
    'is not read from %j',
    (text) => {
      expect(() => parseKeep(text)).toThrow(/must be a duration like 720h, a number of events/);
    },
  );
});

describe('how long single resources are kept', () => {
  it('is a day for leases and events where nothing is said, which both kinds of events share', () => {
    const setting = RETENTION_SETTINGS.historyRetentionResource;
    if (setting.takes !== 'list') throw new Error('it is a list');

    expect([...setting.parse(setting.default ?? [])]).toEqual([
      ['coordination.k8s.io/leases', { kind: 'for', ms: DAY_MS }],
      ['core/events', { kind: 'for', ms: DAY_MS }],
    ]);
  });

  it('is said by the names that kubectl knows', () => {
    const kept = parseKeepPerResource(['pods=100', 'widgets.example.com=forever']);

    expect([...kept.keys()]).toEqual(['core/pods', 'example.com/widgets']);
    expect([...parseKeepPerResource([])]).toEqual([]);
  });

  it.each(['pods', '=24h', 'Pods=24h', 'core/pods=24h', 'pods.=24h', ' pods=24h'])(
    'is not read from %j',
    (text) => {
      expect(() => parseKeepPerResource([text])).toThrow(/must be like leases\.coordination/);
    },
  );

  it('is not said in two ways of the same', () => {
    expect(() => parseKeepPerResource(['pods=x=1'])).toThrow(/not "x=1"/);
    expect(() => parseKeepPerResource(['events=1h', 'events.events.k8s.io=2h'])).toThrow(
      'says of events.events.k8s.io two different things',
    );
  });
});
