import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { eventConversion, events } from './definition.ts';

const stored: KubeObject = {
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'ns' },
  involvedObject: { kind: 'Pod', name: 'p' },
  reason: 'Started',
  message: 'it runs',
  source: { component: 'kubelet' },
  firstTimestamp: '2020-01-01T00:00:00Z',
  lastTimestamp: '2020-01-01T00:00:01Z',
  count: 2,
  type: 'Normal',
  eventTime: null,
  reportingComponent: 'kubelet',
  reportingInstance: 'n',
};

describe('an event', () => {
  it('is shown to events.k8s.io in its own words', () => {
    expect(eventConversion.fromStorage(stored)).toEqual({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: 'a', namespace: 'ns' },
      eventTime: null,
      reportingController: 'kubelet',
      reportingInstance: 'n',
      reason: 'Started',
      regarding: { kind: 'Pod', name: 'p' },
      note: 'it runs',
      type: 'Normal',
      deprecatedSource: { component: 'kubelet' },
      deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2020-01-01T00:00:01Z',
      deprecatedCount: 2,
    });
  });

  it('comes back as it was, key by key', () => {
    const back = eventConversion.toStorage(eventConversion.fromStorage(stored));
    expect(JSON.stringify(back)).toBe(JSON.stringify(stored));
  });

  it('says nothing where there is nothing to say', () => {
    const empty = { kind: 'Event', apiVersion: 'events.k8s.io/v1', metadata: {} };
    expect(eventConversion.toStorage(empty)).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });
});

describe('what is wrong with an event of events.k8s.io', () => {
  const strict = events.alsoServedAs?.find(({ group }) => group === 'events.k8s.io')?.strategy;
  const wrong: KubeObject = {
    ...stored,
    metadata: { name: 'a', namespace: 'ns', finalizers: ['f'] },
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingComponent: 'a/b',
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'ns' },
    action: '',
  };

  it('is told before what is wrong with its metadata, and that before what may not change', () => {
    const metadata = { ...wrong.metadata, finalizers: ['walk/f'] };
    const before = { ...wrong, metadata, action: 'a', note: 'n' };
    const fields = strict?.validateUpdate(wrong, before).map(({ field }) => field);
    expect(fields).toEqual(['action', 'metadata.finalizers[0]', 'action']);
    const ofNew = strict?.validate(wrong, []).map(({ field }) => field);
    expect(ofNew?.slice(0, 2)).toEqual(['action', 'metadata.finalizers[0]']);
  });
});
