import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { eventConversion } from './definition.ts';

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
