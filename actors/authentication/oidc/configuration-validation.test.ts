import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { givenAuthority } from '../given-certificates.fixture.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';
import { judgeConfiguration } from './configuration-validation.ts';

const HEADER = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
const ISSUER = { url: 'https://issuer.example', audiences: ['us'] };
const MAPPINGS = { username: { claim: 'sub', prefix: '' } };
const PARTS_OF_A_USER =
  'user.username != "" && user.uid == "7" && user.groups.size() > 0 && "a" in user.extra';
const { certificate: AUTHORITY } = await givenAuthority('issuers', {
  notBefore: Date.parse('2026-11-22T00:00:00Z'),
  notAfter: Date.parse('2026-11-23T00:00:00Z'),
});
const GOOD = { issuer: ISSUER, claimMappings: MAPPINGS };

function problemOf(content: JsonObject): string {
  const read = readAuthenticationConfiguration({ ...HEADER, ...content });
  if (!read.ok) return read.problem;
  const { errors } = judgeConfiguration(read.configuration, ['https://own.example']);
  return errors.length === 0 ? '' : formatFieldErrors(errors);
}

function ofIssuer(more: JsonObject): JsonObject {
  return { jwt: [{ ...GOOD, issuer: { ...ISSUER, ...more } }] };
}

function ofMappings(more: JsonObject): JsonObject {
  return { jwt: [{ ...GOOD, claimMappings: { ...MAPPINGS, ...more } }] };
}

function ofRules(...claimValidationRules: JsonObject[]): JsonObject {
  return { jwt: [{ ...GOOD, claimValidationRules }] };
}

describe('an AuthenticationConfiguration', () => {
  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['one issuer', { jwt: [GOOD] }],
    ['a list that is null', { jwt: null }],
    ['an authority', ofIssuer({ certificateAuthority: AUTHORITY })],
    [
      'a rule about each part of a user',
      { jwt: [{ ...GOOD, userValidationRules: [{ expression: PARTS_OF_A_USER }] }] },
    ],
    [
      'emails of others than the user',
      ofMappings({
        username: { expression: 'dyn(claims.people).filter(p, p.email != "").map(p, p.sub)[0]' },
      }),
    ],
    ['an issuer in the cluster', ofIssuer({ egressSelectorType: 'cluster' })],
    ['an issuer beside the server', ofIssuer({ egressSelectorType: 'controlplane' })],
    ['expressions', ofMappings({ username: { expression: 'claims.sub' } })],
    [
      'an email that is looked at',
      {
        jwt: [
          {
            ...GOOD,
            claimMappings: { username: { expression: 'claims.email' } },
            claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }],
          },
        ],
      },
    ],
  ])('is good with %s', (_what, content) => {
    expect(problemOf(content)).toBe('');
  });

  it.each<[string, JsonObject]>([
    ['jwt[0]: must be an object', { jwt: [7] }],
    ['strict decoding error: unknown field "jwt[0].isuer"', { jwt: [{ ...GOOD, isuer: {} }] }],
    ['jwt: must be a list', { jwt: {} }],
    [
      'jwt[0].issuer.url: Invalid value: "nonsense": URL scheme must be https',
      ofIssuer({ url: 'nonsense' }),
    ],
    [
      '[jwt[0].issuer.url: Required value, jwt[0].issuer.discoveryURL: Invalid value: "/": URL scheme must be https]',
      ofIssuer({ url: '', discoveryURL: '/' }),
    ],
    ['jwt[0].issuer.audiences[0]: Required value', ofIssuer({ audiences: [''] })],
    [
      'jwt[0].claimValidationRules[0]: Invalid value: "a": claim and expression can\'t both be set',
      ofRules({ claim: 'a', expression: 'true' }),
    ],
    [
      'jwt[0].claimValidationRules[0].message: Invalid value: "m": may not be specified when claim is set',
      ofRules({ claim: 'a', message: 'm' }),
    ],
    [
      'jwt[0].claimValidationRules[1].claim: Duplicate value: "a"',
      ofRules({ claim: 'a', requiredValue: 'x' }, { claim: 'a', requiredValue: 'y' }),
    ],
    [
      'jwt[0].claimMappings.extra[1].key: Duplicate value: "a.b/c"',
      ofMappings({
        extra: [
          { key: 'a.b/c', valueExpression: 'claims.b' },
          { key: 'a.b/c', valueExpression: 'claims.c' },
        ],
      }),
    ],
    [
      'jwt[0].issuer.egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster',
      ofIssuer({ egressSelectorType: 'etcd' }),
    ],
    ['jwt[0].issuer.url: must be a text', ofIssuer({ url: 1 })],
    ['jwt[0].issuer.url: Required value', ofIssuer({ url: '' })],
    [
      'jwt[0].issuer.url: Invalid value: "http://a.example": URL scheme must be https',
      ofIssuer({ url: 'http://a.example' }),
    ],
    [
      'jwt[0].issuer.url: Invalid value: "https://own.example": URL must not overlap with disallowed issuers: [https://own.example]',
      ofIssuer({ url: 'https://own.example' }),
    ],
    [
      '[jwt[0].issuer.url: Invalid value: "https://u:p@a.example?q#f": URL must not contain a username or password, ' +
        'jwt[0].issuer.url: Invalid value: "https://u:p@a.example?q#f": URL must not contain a query, ' +
        'jwt[0].issuer.url: Invalid value: "https://u:p@a.example?q#f": URL must not contain a fragment]',
      ofIssuer({ url: 'https://u:p@a.example?q#f' }),
    ],
    [
      'jwt[0].issuer.discoveryURL: Invalid value: "https://issuer.example/": discoveryURL must be different from URL',
      ofIssuer({ discoveryURL: 'https://issuer.example/' }),
    ],
    [
      'jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required',
      ofIssuer({ audiences: [] }),
    ],
    [
      '[jwt[0].issuer.audiences[1]: Duplicate value: "a", jwt[0].issuer.audienceMatchPolicy: ' +
        'Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences]',
      ofIssuer({ audiences: ['a', 'a'] }),
    ],
    [
      'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
      ofIssuer({ certificateAuthority: 'none' }),
    ],
    ['jwt[1].issuer.url: Duplicate value: "https://issuer.example"', { jwt: [GOOD, GOOD] }],
    [
      'jwt[0].claimMappings.username: Required value: claim or expression is required',
      ofMappings({ username: {} }),
    ],
    [
      'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      ofMappings({ username: { claim: 'sub' } }),
    ],
    [
      'jwt[0].claimMappings.groups: Invalid value: "": claim and expression can\'t both be set',
      ofMappings({ groups: { claim: 'a', expression: 'b' } }),
    ],
    [
      'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
      ofMappings({ username: { expression: 'claims.email' } }),
    ],
    [
      'jwt[0].claimMappings.extra[0].key: Invalid value: "a.k8s.io/b": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      ofMappings({ extra: [{ key: 'a.k8s.io/b', valueExpression: 'claims.b' }] }),
    ],
    [
      '[jwt[0].claimMappings.extra[0].key: Invalid value: "a.b/C": must be lowercase, jwt[0].claimMappings.extra[0].valueExpression: Required value]',
      ofMappings({ extra: [{ key: 'a.b/C' }] }),
    ],
    [
      'jwt[0].claimValidationRules[0].expression: Invalid value: "claims.a": must evaluate to bool',
      { jwt: [{ ...GOOD, claimValidationRules: [{ expression: 'claims.a' }] }] },
    ],
    [
      'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
      { jwt: [{ ...GOOD, claimValidationRules: [{}] }] },
    ],
    [
      'jwt[0].userValidationRules[1].expression: Duplicate value: "true"',
      { jwt: [{ ...GOOD, userValidationRules: [{ expression: 'true' }, { expression: 'true' }] }] },
    ],
    [
      'anonymous.conditions: Invalid value: [{"path":"/livez"}]: enabled should be set to true when conditions are defined',
      { anonymous: { enabled: false, conditions: [{ path: '/livez' }] } },
    ],
  ])('is refused: %s', (problem, content) => {
    expect(problemOf(content)).toBe(problem);
  });

  it('is refused with an expression that cannot be compiled, in the words of the compiler', () => {
    const told = problemOf(ofMappings({ uid: { expression: 'claims.' } }));
    expect(told).toMatch(
      /^jwt\[0\]\.claimMappings\.uid\.expression: Invalid value: "claims\.": compilation failed: ERROR: <input>:1:8: /,
    );
  });

  it('is refused with an expression that is sound and cannot be made ready', () => {
    const told = problemOf(ofRules({ expression: 'dyn(claims.sub)[b"x"] == 1' }));
    expect(told).toContain('program instantiation failed: invalid qualifier type');
  });

  it('is refused where it is something else', () => {
    const problems = [null, [], HEADER.kind].map((data) => readAuthenticationConfiguration(data));
    expect(problems).toEqual(
      problems.map(() => ({ ok: false, problem: 'the file: must be an object' })),
    );
    for (const change of [{ kind: 'Pod' }, { apiVersion: 'v1' }, { apiVersion: 'other.io/v1' }]) {
      expect(readAuthenticationConfiguration({ ...HEADER, ...change })).toMatchObject({
        ok: false,
        problem: expect.stringContaining('is registered for this file') as string,
      });
    }
    const many = { jwt: Array.from({ length: 65 }, () => GOOD) };
    expect(problemOf(many)).toBe('jwt: Too many: 65: must have at most 64 items');
  });
});
