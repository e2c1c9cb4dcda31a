import { describe, expect, it } from 'vitest';
import { parsed, problem } from './given-flags.fixture.ts';
import { elementsOf } from './setting.ts';

describe('a list of elements', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    ['a,,b', ['a', '', 'b']],
    [' a, b', [' a', ' b']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a""b"', ['a"b']],
    ['a,""', ['a', '']],
    ['a,', ['a', '']],
  ])('%j separated by commas is %j', (text, elements) => {
    expect(elementsOf(text, 'csv')).toEqual(elements);
  });

  it.each(['a"b', '"a', '"a"b', 'a,"'])('%j is none', (text) => {
    expect(() => elementsOf(text, 'csv')).toThrow(/quoted-field/);
  });

  it.each([
    ['', []],
    ['a=b,c=d', ['a=b', 'c=d']],
    [' a = b ,, c ', ['a=b', 'c']],
  ])('%j in pairs is %j', (text, elements) => {
    expect(elementsOf(text, 'pairs')).toEqual(elements);
  });
});

describe('a list flag that is given twice', () => {
  it('adds to itself, and the default is gone', () => {
    const { authorizationMode, apiAudiences } = parsed([
      ...['--authorization-mode=Node', '--authorization-mode', 'RBAC,AlwaysDeny'],
      ...['--api-audiences=a', '--api-audiences='],
    ]);
    expect(authorizationMode).toEqual(['Node', 'RBAC', 'AlwaysDeny']);
    expect(apiAudiences).toEqual(['a']);
  });

  it('and takes one element at a time is not taken apart at commas', () => {
    const { serviceAccountKeyFile, oidcRequiredClaim } = parsed([
      ...['--service-account-key-file=a,b', '--service-account-key-file=c'],
      ...['--oidc-required-claim=a=b,c=d', '--oidc-required-claim=e=f'],
      ...['--oidc-issuer-url=https://a', '--oidc-client-id=b'],
    ]);
    expect(serviceAccountKeyFile).toEqual(['a,b', 'c']);
    expect([...oidcRequiredClaim]).toEqual([
      ['a', 'b,c=d'],
      ['e', 'f'],
    ]);
  });

  it('and holds pairs has the last value of a key', () => {
    const { runtimeConfig } = parsed([
      '--runtime-config=api/all=false',
      '--runtime-config=api/all=true',
    ]);
    expect(runtimeConfig.get('api/all')).toBe(true);
  });

  it('of which the last counts, where it is no list', () => {
    expect(parsed(['--secure-port=1', '--secure-port=2']).securePort).toBe(2);
  });

  it('wins over the configuration file, whole', () => {
    const file = `apiVersion: everwatch.dev/v1
kind: ServerConfiguration
authorizationMode: [ABAC, RBAC]
authorizationPolicyFile: p`;
    const args = ['--config=c', '--authorization-mode=Node', '--authorization-mode=ABAC'];
    expect(parsed(args, file).authorizationMode).toEqual(['Node', 'ABAC']);
  });

  it('names the flag whose text is no list', () => {
    expect(problem(['--api-audiences="a'])).toBe(
      'invalid argument "\\"a" for "--api-audiences" flag: parse error on line 1, column 3: extraneous or missing " in quoted-field',
    );
  });
});
