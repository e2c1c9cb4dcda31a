import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/meta/json.ts';
import { formatFieldErrors } from '../../../api/schema/field-errors.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';
import { judgeConfiguration } from './configuration-validation.ts';

const HEADER = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
const ISSUER = { url: 'https://issuer.example', audiences: ['us'] };
const MAPPINGS = { username: { claim: 'sub', prefix: '' } };
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

describe('an AuthenticationConfiguration', () => {
  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['one issuer', { jwt: [GOOD] }],
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
    ['strict decoding error: unknown field "jwt[0].isuer"', { jwt: [{ ...GOOD, isuer: {} }] }],
    ['jwt: must be a list', { jwt: {} }],
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

  it('is refused where it is something else', () => {
    expect(readAuthenticationConfiguration({ kind: 'Pod', apiVersion: 'v1' })).toMatchObject({
      ok: false,
    });
    expect(readAuthenticationConfiguration(null)).toMatchObject({ ok: false });
    const many = { jwt: Array.from({ length: 65 }, () => GOOD) };
    expect(problemOf(many)).toBe('jwt: Too many: 65: must have at most 64 items');
  });
});
