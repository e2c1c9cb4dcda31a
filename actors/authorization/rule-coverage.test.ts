import { describe, expect, it } from 'vitest';
import { readRule } from './policy-rule.ts';
import { describeRules, uncovered } from './rule-coverage.ts';

describe('uncovered', () => {
  it('says in upstream’s words what is missing', () => {
    const held = [readRule({ verbs: ['get'], apiGroups: [''], resources: ['pods', '*/scale'] })];
    const wanted = [
      readRule({ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'a/scale'] }),
      readRule({ verbs: ['get'], nonResourceURLs: ['/x'] }),
    ];
    expect(describeRules(uncovered(held, wanted)).split('\n')).toEqual([
      '{APIGroups:[""], Resources:["a/scale"], Verbs:["list"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
      '{APIGroups:["apps"], Resources:["a/scale"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });

  it('ends where lists multiply without end', () => {
    const many = (prefix: string) =>
      Array.from({ length: 3_000 }, (_, at) => `${prefix}${String(at)}`);
    const huge = {
      verbs: many('v'),
      apiGroups: many('g'),
      resources: many('r'),
      resourceNames: many('n'),
      nonResourceURLs: [],
    };
    // Both rules together do not cover it, and neither does one.
    const held = [
      { ...huge, verbs: huge.verbs.slice(1) },
      { ...huge, verbs: huge.verbs.slice(0, 1), apiGroups: huge.apiGroups.slice(1) },
    ];
    expect(uncovered(held, [huge]).length).toBeGreaterThan(0);
    expect(uncovered([huge], [huge])).toEqual([]);
  });
});
