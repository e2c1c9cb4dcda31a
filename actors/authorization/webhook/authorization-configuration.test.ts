import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { parseAuthorizationConfiguration } from './authorization-configuration.ts';

const WEBHOOK: JsonObject = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/webhook.yaml' },
};

function parse(...authorizers: JsonValue[]) {
  return parseAuthorizationConfiguration({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers,
  });
}

function problem(...authorizers: JsonValue[]): string {
  const parsed = parse(...authorizers);
  return parsed.ok ? 'none' : formatFieldErrors(parsed.errors);
}

function webhook(more: JsonObject, name = 'one'): JsonObject {
  return { type: 'Webhook', name, webhook: { ...WEBHOOK, ...more } };
}

function conditions(...texts: string[]): JsonObject {
  return webhook({
    matchConditionSubjectAccessReviewVersion: 'v1',
    matchConditions: texts.map((expression) => ({ expression })),
  });
}

describe('an AuthorizationConfiguration', () => {
  it('names authorizers in their order, with what is usual filled in', () => {
    expect(
      parse(
        { type: 'Node', name: 'node' },
        webhook({}),
        webhook({ authorizedTTL: '1m', cacheUnauthorizedRequests: false }, 'two'),
      ),
    ).toEqual({
      ok: true,
      authorizers: [
        { type: 'Node' },
        {
          type: 'Webhook',
          name: 'one',
          webhook: {
            version: 'v1',
            timeoutMs: 3_000,
            authorizedTtlMs: 300_000,
            unauthorizedTtlMs: 30_000,
            onFailure: 'deny',
            kubeConfigFile: '/etc/webhook.yaml',
            condition: undefined,
          },
        },
        expect.objectContaining({
          name: 'two',
          webhook: expect.objectContaining({
            authorizedTtlMs: 60_000,
            unauthorizedTtlMs: 0,
          }) as object,
        }),
      ],
    });
  });

  it.each([
    [[], 'authorizers: Required value: at least one authorization mode must be defined'],
    [[{ type: 'Magic', name: 'magic' }], 'authorizers[0].type: Unsupported value: "Magic"'],
    [
      [
        { type: 'RBAC', name: 'rbac' },
        { type: 'RBAC', name: 'rbac2' },
      ],
      'authorizers[1].type: Duplicate value: "RBAC"',
    ],
    [[{ type: 'RBAC', name: 'mine' }], 'expected name rbac for authorizer RBAC instead of mine'],
    [[{ type: 'RBAC' }], 'authorizers[0].name: Required value'],
    [[{ name: 'rbac' }], 'authorizers[0].type: Required value'],
    [[webhook({}), webhook({})], 'authorizers[1].name: Duplicate value: "one"'],
    [[webhook({}, 'Not a name')], 'authorizer name is invalid'],
    [[webhook({ authorizedTTL: 300 })], 'authorizedTTL: Invalid value: 300: must be > 0s'],
    [[webhook({ unauthorizedTTL: 'soon' })], 'unauthorizedTTL: Invalid value: "soon"'],
    [[webhook({ unauthorizedTTL: '0s' })], 'unauthorizedTTL: Invalid value: "0s"'],
    [[webhook({ connectionInfo: {} })], 'connectionInfo.type: Required value'],
    [[webhook({ connectionInfo: { type: 'InClusterConfig' } })], 'type: Unsupported value'],
    [
      [webhook({ connectionInfo: { type: 'KubeConfigFile' } })],
      'connectionInfo.kubeConfigFile: Required value',
    ],
    [[conditions(...Array.from({ length: 65 }, (_, at) => `${String(at)} == 0`))], 'Too many: 65'],
    [[conditions('true', ' ')], 'matchConditions[1].expression: Required value'],
    [[conditions('true', 'true')], 'matchConditions[1].expression: Duplicate value: "true"'],
    [[conditions('true', '1 +')], 'matchConditions[1].expression: Invalid value: "1 +"'],
    [
      [webhook({ matchConditionSubjectAccessReviewVersion: 'v1beta1' })],
      'Version: Unsupported value: "v1beta1": supported values: "v1"',
    ],
    [
      [webhook({ matchConditions: [{ expression: 'true' }, 'false'] })],
      'matchConditions[1]: Invalid value: "false": must be an object',
    ],
    [[webhook({ matchConditions: { a: 'b' } })], 'matchConditions: Invalid value'],
    [['RBAC', { type: 'RBAC', name: 'rbac' }], 'authorizers[0]: Invalid value: "RBAC"'],
    [[{ type: 'Webhook', name: 'a' }], 'authorizers[0].webhook: Required value'],
    [[{ type: 'RBAC', name: 'rbac', webhook: {} }], 'may only be specified when type=Webhook'],
    [[webhook({ timeout: undefined })], 'webhook.timeout: Required value'],
    [[webhook({ timeout: '30.001s' })], 'must be > 0s and <= 30s'],
    [[webhook({ timeout: '31s' })], 'must be > 0s and <= 30s'],
    [[webhook({ failurePolicy: 'Allow' })], 'failurePolicy: Unsupported value: "Allow"'],
    [[webhook({ failurPolicy: 'Deny' })], 'unknown field'],
    [
      [webhook({ matchConditions: [{ expression: 'true' }] })],
      'matchConditionSubjectAccessReviewVersion: Required value',
    ],
    [
      [
        webhook({
          matchConditionSubjectAccessReviewVersion: 'v1',
          matchConditions: [{ expression: '1 +' }],
        }),
      ],
      'authorizers[0].webhook.matchConditions[0].expression: Invalid value',
    ],
    [
      [webhook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'here' } })],
      'must be an absolute path',
    ],
  ] as [JsonValue[], string][])('%j is wrong', (authorizers, said) => {
    expect(problem(...authorizers)).toContain(said);
  });

  it('has room for 64 conditions, and remembers nothing where it says so', () => {
    const many = Array.from({ length: 64 }, (_, at) => `${String(at)} == 0`);
    expect(problem(conditions(...many), { type: 'RBAC', name: 'rbac' })).toBe('none');
    expect(problem(webhook({ timeout: '30s' }))).toBe('none');
    expect(parse(conditions('true'))).toMatchObject({
      authorizers: [{ webhook: { condition: expect.any(Function) as unknown } }],
    });
    const [forgetful] = [parse(webhook({ cacheAuthorizedRequests: false }))];
    expect(forgetful).toMatchObject({
      authorizers: [{ webhook: { authorizedTtlMs: 0, unauthorizedTtlMs: 30_000 } }],
    });
  });

  it('names a field that it does not know by its path', () => {
    const content = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorisers: [],
    };
    const parsed = parseAuthorizationConfiguration(content);
    expect(parsed.ok ? '' : formatFieldErrors(parsed.errors)).toBe(
      'authorisers: Invalid value: "authorisers": unknown field',
    );
    expect(problem({ type: 'RBAC', name: 'rbac', nam: 'x' })).toBe(
      'authorizers[0].nam: Invalid value: "nam": unknown field',
    );
  });

  it('has to say what it is', () => {
    const parsed = parseAuthorizationConfiguration({ kind: 'Config', authorizers: [] });
    expect(parsed.ok ? '' : formatFieldErrors(parsed.errors)).toContain('apiVersion: Required');
    const list = parseAuthorizationConfiguration([]);
    expect(list.ok ? '' : formatFieldErrors(list.errors)).toContain('must be an object');
  });
});
