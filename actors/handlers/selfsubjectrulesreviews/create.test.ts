import { describe, expect, it } from 'vitest';
import { givenVirtual, JANE, type MadeUp } from '../given-virtual.fixture.ts';
import {
  alwaysAllow,
  alwaysDeny,
  serverAuthorizer,
} from '../../authorization/server-authorizer.ts';

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

function given(rulesFor: NonNullable<MadeUp['rulesFor']>) {
  return givenVirtual({ rulesFor });
}

describe('SelfSubjectRulesReview', () => {
  it('lists what the client may do', async () => {
    const { post } = await given((user, namespace) => ({
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [user.name] },
      ],
      pathRules: [{ verbs: ['get'], nonResourceURLs: [`/${namespace}`] }],
      isIncomplete: true,
      problem: 'a webhook has no rules',
    }));
    const { code, body } = await post(PATH, { spec: { namespace: 'shop' } });
    expect(code).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {},
      status: {
        resourceRules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [JANE.name] },
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/shop'] }],
        incomplete: true,
        evaluationError: 'a webhook has no rules',
      },
    });
  });

  it('needs a namespace', async () => {
    const { post } = await given(() => Promise.reject(new Error('is not asked')));
    const message = 'no namespace on request';
    expect(await post(PATH, { spec: {} })).toMatchObject({ code: 400, message });
  });

  it.each([
    ['AlwaysAllow', alwaysAllow, 1],
    ['AlwaysDeny', alwaysDeny, 0],
  ] as const)('with the mode %s shows its rules', async (_mode, member, count) => {
    const resolver = serverAuthorizer([member]);
    const { post } = await given((user, namespace) => resolver.rulesFor(user, namespace));
    const { body } = await post(PATH, { spec: { namespace: 'shop' } });
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(body['status']).toEqual({
      resourceRules: [everything].slice(0, count),
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }].slice(0, count),
      incomplete: false,
    });
  });
});
