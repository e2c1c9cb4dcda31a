import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import { decodedAs } from '../../decoded.fixture.ts';
import { isPodReady, setPodCondition } from './pod-condition.ts';

const NOW = Date.UTC(2026, 10, 21);
const SINCE = '2020-01-01T00:00:00Z';

function podWith(...conditions: JsonObject[]) {
  const status = { phase: 'Running', conditions };
  return decodedAs('v1/pods', { metadata: { name: 'a' }, status });
}

function condition(type: string, status: string): JsonObject {
  return { type, status, lastProbeTime: null, lastTransitionTime: SINCE, reason: 'Old' };
}

describe('setPodCondition', () => {
  it('adds what is not there', () => {
    const pod = podWith(condition('Ready', 'True'));
    setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, NOW);
    const added = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-11-21T00:00:00Z',
    };
    expect(pod.status).toEqual({
      phase: 'Running',
      conditions: [condition('Ready', 'True'), added],
    });
  });

  it.each([
    ['True', SINCE],
    ['False', '2026-11-21T00:00:00Z'],
  ])('of one that was %s says since when', (before, lastTransitionTime) => {
    const pod = podWith(condition('Ready', before), condition('Other', 'True'));
    setPodCondition(pod, { type: 'Ready', status: 'True', reason: 'New' }, NOW);
    expect(pod.status).toMatchObject({
      conditions: [
        { type: 'Ready', status: 'True', reason: 'New', lastTransitionTime },
        { type: 'Other' },
      ],
    });
  });
});

it('a pod is ready when it says so', () => {
  expect(isPodReady(podWith(condition('Ready', 'True')))).toBe(true);
  expect(isPodReady(podWith(condition('Ready', 'False')))).toBe(false);
  expect(isPodReady(podWith())).toBe(false);
});
