import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/meta/json.ts';
import { formatFieldErrors } from '../../api/schema/field-errors.ts';
import { parseAuthorizationConfiguration } from './authorization-configuration.ts';

const WEBHOOK: JsonObject = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/webhook.yaml' },
};

function parse(...authorizers: JsonObject[]) {
  return parseAuthorizationConfiguration({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers,
  });
}

function problem(...authorizers: JsonObject[]): string {
  const parsed = parse(...authorizers);
  return parsed.ok ? 'none' : formatFieldErrors(parsed.errors);
}

function webhook(more: JsonObject, name = 'one'): JsonObject {
  return { type: 'Webhook', name, webhook: { ...WEBHOOK, ...more } };
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
    [[{ type: 'Webhook', name: 'a' }], 'authorizers[0].webhook: Required value'],
    [[{ type: 'RBAC', name: 'rbac', webhook: {} }], 'may only be specified when type=Webhook'],
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
  ] as [JsonObject[], string][])('%j is wrong', (authorizers, said) => {
    expect(problem(...authorizers)).toContain(said);
  });

  it('has to say what it is', () => {
    const parsed = parseAuthorizationConfiguration({ kind: 'Config', authorizers: [] });
    expect(parsed.ok ? '' : formatFieldErrors(parsed.errors)).toContain('apiVersion: Required');
    expect(parseAuthorizationConfiguration([]).ok).toBe(false);
  });
});
