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

  it.each([
    [{ resourceNames: ['a', 'b'] }, { resourceNames: ['a'] }, true],
    [{ resourceNames: ['a'] }, { resourceNames: ['a', 'b'] }, false],
    [{ resourceNames: ['a'] }, {}, false],
    [{}, { resourceNames: ['a'] }, true],
  ])('a rule with %j covers one with %j: %s', (held, wanted, isCovered) => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    const missing = uncovered([readRule({ ...rule, ...held })], [readRule({ ...rule, ...wanted })]);
    expect(missing.length === 0).toBe(isCovered);
  });

  it.each([
    ['*/scale', 'a/scale', true],
    ['*/scale', 'a/status', false],
    ['*', 'a/scale', true],
    ['a', 'a/scale', false],
    ['*s', 'pods', false],
  ])('the resource %s covers %s: %s', (held, wanted, isCovered) => {
    const rule = (one: string) => readRule({ verbs: ['get'], apiGroups: [''], resources: [one] });
    expect(uncovered([rule(held)], [rule(wanted)]).length === 0).toBe(isCovered);
  });

  it.each([
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/*', true],
    ['/a', '/a/b', false],
    ['*', '/a', true],
    ['/a', '*', false],
  ])('the path %s covers %s: %s', (held, wanted, isCovered) => {
    const rule = (url: string) => readRule({ verbs: ['get'], nonResourceURLs: [url] });
    expect(uncovered([rule(held)], [rule(wanted)]).length === 0).toBe(isCovered);
  });

  it('says a rule about no resource by itself', () => {
    const rules = [
      { verbs: ['get'], apiGroups: ['apps'] },
      { verbs: ['list'] },
      { verbs: ['get'] },
    ];
    expect(describeRules(rules.map(readRule)).split('\n')).toEqual([
      '{APIGroups:["apps"], Verbs:["get"]}',
      '{Verbs:["get"]}',
      '{Verbs:["list"]}',
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
