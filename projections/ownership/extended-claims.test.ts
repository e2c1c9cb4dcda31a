import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { storedKind } from '../objects/stored-kinds.ts';
import { ExtendedClaims } from './extended-claims.ts';
import { CLAIMS, PODS, quotaWorld } from './quota-world.fixture.ts';

const FIRST = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:00:01Z';

function given() {
  const { objects, followed, apply } = quotaWorld();
  let loosened: string[] = [];
  const claims = new ExtendedClaims(followed, objects, (path) => void loosened.push(path));
  const stored = (name: string) => {
    const claim = objects.get(CLAIMS, `a/${name}`);
    if (claim === undefined) throw new Error(`there is no claim ${name}`);
    return storedKind('resource.k8s.io/v1/resourceclaims')(claim);
  };
  return {
    claims,
    /** The claims that are to be counted again. */
    told: () => {
      claims.read();
      const told = [...new Set(loosened)].sort();
      loosened = [];
      return told;
    },
    pod(name: string, uid: string, claim?: string) {
      const status =
        claim === undefined ? {} : { extendedResourceClaimStatus: { resourceClaimName: claim } };
      apply(PODS, `a/${name}`, { metadata: { name, namespace: 'a', uid }, status });
    },
    claim(name: string, podName: string, creationTimestamp = FIRST, more: JsonObject = {}) {
      const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid: 'u', controller: true };
      const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
      const place = { name, namespace: 'a', uid: name, creationTimestamp };
      const metadata = { ...place, annotations, ownerReferences: [owner], ...more };
      apply(CLAIMS, `a/${name}`, { metadata });
    },
    gone(name: string) {
      apply(CLAIMS, `a/${name}`, undefined);
    },
    hasPod: (name: string) => claims.podOf(stored(name)) !== undefined,
    requires: (name: string) => claims.requirementsOf(stored(name)),
  };
}

describe('the pod of a claim', () => {
  it('is the one that is named, if that says so or none came before', () => {
    const { pod, claim, gone, hasPod } = given();
    claim('b', 'p', LATER);
    expect(hasPod('b')).toBe(false);
    pod('p', 'another');
    expect(hasPod('b')).toBe(false);
    pod('p', 'u');
    expect(hasPod('b')).toBe(true);
    claim('c', 'p', FIRST);
    expect([hasPod('b'), hasPod('c')]).toEqual([false, true]);
    claim('a', 'p', FIRST);
    expect([hasPod('a'), hasPod('c')]).toEqual([true, false]);
    pod('p', 'u', 'b');
    expect(['a', 'b', 'c'].map(hasPod)).toEqual([false, true, false]);
    pod('p', 'u');
    gone('a');
    expect(hasPod('c')).toBe(true);
    claim('c', 'p', FIRST, { annotations: {} });
    expect(['b', 'c'].map(hasPod)).toEqual([true, false]);
  });

  it('is not of a claim that is still to be made where there is one already', () => {
    const { claims, pod, claim } = given();
    pod('p', 'u');
    claim('b', 'p', FIRST);
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
    const metadata = { name: 'a', namespace: 'a', creationTimestamp: FIRST, annotations };
    const spec = { devices: { requests: [] } };
    const made = { metadata: { ...metadata, ownerReferences: [owner] }, spec, status: {} };
    expect(claims.podOf(made)).toBe(undefined);
  });

  it('stays the same as long as what it requires does', () => {
    const { pod, claim, requires } = given();
    claim('a', 'p');
    expect(requires('a')).toEqual([]);
    pod('p', 'u');
    expect(requires('a')).toEqual([
      { resource: PODS, path: 'a/p', resourceVersion: 2 },
      { resource: CLAIMS, path: 'a/', resourceVersion: 1 },
    ]);
    pod('p', 'u', 'a');
    expect(requires('a')).toEqual([{ resource: PODS, path: 'a/p', resourceVersion: 3 }]);
  });
});

describe('a count of claims', () => {
  it('is told of the one claim for which a pod counts, and no other that names it', () => {
    const { pod, claim, hasPod, told } = given();
    for (let index = 0; index < 50; index += 1) claim(`c${String(index)}`, 'p');
    pod('p', 'u');
    hasPod('c0');
    expect(told()).toEqual(['a/c0']);
    pod('p', 'u');
    expect(told()).toEqual(['a/c0']);
    pod('p', 'u', 'c7');
    expect(told()).toEqual(['a/c0', 'a/c7']);
    pod('other', 'v');
    expect(told()).toEqual([]);
  });

  it('is told of both when another claim is the first', () => {
    const { pod, claim, gone, hasPod, told } = given();
    pod('p', 'u');
    claim('b', 'p', LATER);
    hasPod('b');
    told();
    claim('a', 'p', FIRST);
    expect(told()).toEqual(['a/a', 'a/b']);
    gone('a');
    expect(told()).toEqual(['a/a', 'a/b']);
    // It has the uid of the pod, if not its name: it comes before all the same.
    claim('a', 'q', FIRST);
    expect(told()).toEqual(['a/b']);
    expect(['a', 'b'].map(hasPod)).toEqual([false, false]);
    gone('a');
    expect(told()).toEqual(['a/b']);
    expect(hasPod('b')).toBe(true);
  });

  it('is told when a pod says another claim, also if the one before was made anew meanwhile', () => {
    const { pod, claim, gone, hasPod, told } = given();
    pod('p', 'u', 'b');
    claim('a', 'p', FIRST);
    claim('b', 'p', LATER);
    expect(hasPod('b')).toBe(true);
    gone('b');
    told();
    claim('b', 'p', LATER);
    told();
    pod('p', 'u', 'a');
    expect(told()).toEqual(['a/a', 'a/b']);
  });
});
