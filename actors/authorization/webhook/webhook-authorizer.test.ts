import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { testClock, testRandom } from '../../request/given.fixture.ts';
import type { RequestInfo } from '../../request/request.ts';
import { NO_INFO, userNamed } from '../rbac/given-policy.fixture.ts';
import { compileReviewConditions } from './review-conditions.ts';
import type { ReviewAnswer } from '../../request/webhook-review.ts';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './webhook-authorizer.ts';

const JANE = { ...userNamed('jane', ['dev']), uid: '7', extra: { scopes: ['a'] } };

/** A webhook that answers each review with the next of these statuses, and then with the last. */
function given(
  answers: readonly (JsonObject | ReviewAnswer)[],
  options: Partial<WebhookAuthorizerOptions> = {},
) {
  const asked: JsonObject[] = [];
  const measured: (readonly (string | number)[])[] = [];
  const clock = testClock();
  const authorizer = webhookAuthorizer(
    {
      clock,
      random: testRandom(),
      meters: {
        asked: (...what) => void measured.push(what),
        failedOpen: (result) => void measured.push(['open', result]),
        checking: () => (found) => void measured.push([found]),
      },
      client: {
        post(body) {
          asked.push(JSON.parse(body.toString()) as JsonObject);
          const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
          if ('ok' in answer) return Promise.resolve(answer as ReviewAnswer);
          const review = { kind: 'SubjectAccessReview', status: answer };
          return Promise.resolve({ ok: true, body: Buffer.from(JSON.stringify(review)) });
        },
      },
    },
    {
      version: 'v1',
      authorizedTtlMs: 1_000,
      unauthorizedTtlMs: 100,
      timeoutMs: 5_000,
      onFailure: 'noOpinion',
      ...options,
    },
  );
  const ask = (request: Partial<RequestInfo> = {}) =>
    authorizer.authorize({ user: JANE, request: { ...NO_INFO, ...request } });
  return { ask, asked, clock, authorizer, measured };
}

function failing(mayRetry: boolean): ReviewAnswer {
  return { ok: false, message: 'down', mayRetry };
}

describe('the webhook authorizer', () => {
  it('tells of each time it asks, and of what came of it', async () => {
    const { ask, measured } = given([{ allowed: true }]);
    await ask();
    await ask();
    expect(measured).toEqual([['success', 0]]);
    const late = { ...failing(false), isTimeout: true };
    for (const [answer, result] of [
      [failing(false), 'error'],
      [late, 'timeout'],
      [{ ok: true, body: Buffer.from('x') }, 'error'],
    ] as const) {
      const open = given([answer]);
      await open.ask();
      expect(open.measured).toEqual([
        [result, 0],
        ['open', result],
      ]);
      const closed = given([answer], { onFailure: 'deny' });
      await closed.ask();
      expect(closed.measured).toEqual([[result, 0]]);
    }
  });

  it('says which user wants what, with selectors, in the version that is asked for', async () => {
    const { ask, asked } = given([{ allowed: true, reason: 'because' }]);
    const labelSelector = 'a in (b,c),!d,e,f!=g,h notin (i),j=k';
    expect(
      await ask({ namespace: 'n', verb: 'list', fieldSelector: 'spec.nodeName=x', labelSelector }),
    ).toEqual({ verdict: 'allow', reason: 'because' });
    expect(asked).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        spec: {
          user: 'jane',
          uid: '7',
          groups: ['dev'],
          extra: { scopes: ['a'] },
          resourceAttributes: {
            namespace: 'n',
            verb: 'list',
            version: 'v1',
            resource: 'pods',
            fieldSelector: {
              requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['x'] }],
            },
            labelSelector: {
              requirements: [
                { key: 'a', operator: 'In', values: ['b', 'c'] },
                { key: 'd', operator: 'DoesNotExist' },
                { key: 'e', operator: 'Exists' },
                { key: 'f', operator: 'NotIn', values: ['g'] },
                { key: 'h', operator: 'NotIn', values: ['i'] },
                { key: 'j', operator: 'In', values: ['k'] },
              ],
            },
          },
        },
        status: { allowed: false },
      },
    ]);
    const older = given([{}], { version: 'v1beta1' });
    await older.ask({ isResourceRequest: false, path: '/x' });
    expect(older.asked[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['dev'], nonResourceAttributes: { path: '/x', verb: 'get' } },
    });
  });

  it('asks for more than is wanted where a selector cannot be read or told', async () => {
    const { ask, asked } = given([{ allowed: true }]);
    await ask({ verb: 'list', fieldSelector: 'a', labelSelector: 'a in' });
    await ask({ verb: 'list', labelSelector: 'a>5' });
    const spec = { resourceAttributes: { verb: 'list', version: 'v1', resource: 'pods' } };
    // The second is the same question, and its answer is remembered.
    expect(asked.map((review) => review['spec'])).toEqual([expect.objectContaining(spec)]);
  });

  it('says nothing of groups that a user has not', async () => {
    const asked: string[] = [];
    const authorizer = webhookAuthorizer(
      {
        ...{ clock: testClock(), random: testRandom() },
        client: {
          post(body) {
            asked.push(body.toString());
            return Promise.resolve({ ok: true, body: Buffer.from('{}') });
          },
        },
      },
      {
        ...{ version: 'v1', authorizedTtlMs: 0, unauthorizedTtlMs: 0, timeoutMs: 1 },
        onFailure: 'noOpinion',
      },
    );
    await authorizer.authorize({ user: userNamed('jane'), request: NO_INFO });
    const [review = '{}'] = asked;
    expect(Object.keys((JSON.parse(review) as { spec: object }).spec)).toEqual([
      ...['resourceAttributes', 'user'],
    ]);
  });

  it('says what is wrong with a webhook that allows and denies at once', async () => {
    expect(await given([{ allowed: true, denied: true }]).ask()).toEqual({
      verdict: 'deny',
      reason: '',
      error: new Error('webhook subject access review returned both allow and deny response'),
    });
    expect(await given([{ denied: true, reason: 'no' }]).ask()).toEqual({
      verdict: 'deny',
      reason: 'no',
    });
  });

  it('remembers what is just small enough', async () => {
    const { ask, asked } = given([{ allowed: true }]);
    // Beside the name there are `get`, `v1` and `pods`.
    await ask({ name: 'x'.repeat(9_990) });
    await ask({ name: 'x'.repeat(9_990) });
    expect(asked).toHaveLength(1);
    await ask({ name: 'x'.repeat(9_991) });
    await ask({ name: 'x'.repeat(9_991) });
    expect(asked).toHaveLength(3);
  });

  it.each([
    [{ allowed: true }, 'allow'],
    [{ allowed: false, reason: 'no' }, 'noOpinion'],
    [{ denied: true }, 'deny'],
    [{ allowed: true, denied: true }, 'deny'],
  ] as const)('takes %j for %s', async (status, verdict) => {
    expect(await given([status]).ask()).toMatchObject({ verdict });
  });

  it('remembers a yes longer than a no, and nothing that is too large', async () => {
    const { ask, asked, clock } = given([{ allowed: true }, {}]);
    await ask();
    expect(ask()).toEqual({ verdict: 'allow', reason: '' });
    clock.advance(999);
    expect(ask()).toEqual({ verdict: 'allow', reason: '' });
    clock.advance(1);
    expect(await ask()).toMatchObject({ verdict: 'noOpinion' });
    clock.advance(99);
    expect(ask()).toMatchObject({ verdict: 'noOpinion' });
    clock.advance(1);
    await ask();
    expect(asked).toHaveLength(3);
    const name = 'x'.repeat(10_000);
    await ask({ name });
    await ask({ name });
    expect(asked).toHaveLength(5);
  });

  it('asks again where that may help, and says what went wrong', async () => {
    const passing = given([failing(true), { allowed: true }]);
    const answer = passing.ask();
    for (let turn = 0; turn < 10; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      passing.clock.advance(1_000);
    }
    expect(await answer).toMatchObject({ verdict: 'allow' });
    const error = new Error('down');
    expect(await given([failing(false)]).ask()).toEqual({
      verdict: 'noOpinion',
      reason: '',
      error,
    });
    const strict = given([failing(false)], { onFailure: 'deny' });
    expect(await strict.ask()).toEqual({ verdict: 'deny', reason: '', error });
    await strict.ask();
    expect(strict.asked).toHaveLength(2);
  });

  it.each(['{', '[]', '{"kind":"Pod"}'])('takes %s for no answer', async (text) => {
    const { ask } = given([{ ok: true, body: Buffer.from(text) }]);
    const decision = await ask();
    expect(decision.verdict !== 'allow' && decision.error !== undefined).toBe(true);
  });

  it('is asked only what its conditions say', async () => {
    const compiled = compileReviewConditions([
      'has(request.resourceAttributes)',
      'request.resourceAttributes.namespace == "n" || request.user == "bob"',
      '!("system:nodes" in request.groups)',
    ]);
    if (!compiled.ok) throw new Error(compiled.message);
    const { ask, asked } = given([{ allowed: true }], { condition: compiled.condition });
    expect(ask()).toEqual({ verdict: 'noOpinion', reason: '' });
    expect(ask({ isResourceRequest: false, path: '/x' })).toMatchObject({ verdict: 'noOpinion' });
    expect(asked).toEqual([]);
    expect(await ask({ namespace: 'n' })).toMatchObject({ verdict: 'allow' });
  });

  it('does as on failure where a condition fails, unless another says no', () => {
    const fails = 'request.nonResourceAttributes.path == "/x"';
    const condition = (texts: string[]) => {
      const compiled = compileReviewConditions(texts);
      return compiled.ok ? compiled.condition : undefined;
    };
    const strict = given([{}], { onFailure: 'deny', condition: condition([fails]) });
    expect(strict.ask()).toMatchObject({ verdict: 'deny', error: expect.any(Error) as Error });
    const skipped = given([{}], { onFailure: 'deny', condition: condition([fails, 'false']) });
    expect(skipped.ask()).toEqual({ verdict: 'noOpinion', reason: '' });
  });

  it('shows its conditions every field of a question', async () => {
    const fields = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];
    const conditions = [
      'request.user == "jane" && request.uid == "7" && request.extra["scopes"] == ["a"]',
      ...fields.map((field) => `request.resourceAttributes.${field} == "" || true`),
      'request.resourceAttributes.fieldSelector.requirements[0].key == "spec.nodeName"',
      'request.resourceAttributes.labelSelector.requirements.all(r, r.operator == "In" && r.values == ["b"])',
    ];
    const compiled = compileReviewConditions(conditions);
    if (!compiled.ok) throw new Error(compiled.message);
    const { ask, asked } = given([{ allowed: true }], {
      ...{ condition: compiled.condition, onFailure: 'deny' },
    });
    const selectors = { fieldSelector: 'spec.nodeName=x', labelSelector: 'a=b' };
    expect(await ask({ ...selectors })).toMatchObject({ verdict: 'allow' });
    expect(asked).toHaveLength(1);
    const ofPaths = compileReviewConditions([
      'request.nonResourceAttributes.path == "" && request.nonResourceAttributes.verb == "get"',
    ]);
    const pathless = given([{}], { condition: ofPaths.ok ? ofPaths.condition : undefined });
    await pathless.ask({ isResourceRequest: false, path: '' });
    expect(pathless.asked).toHaveLength(1);
  });

  it('says of every condition that failed how it did', () => {
    const compiled = compileReviewConditions(
      ['/x', '/y'].map((path) => `request.nonResourceAttributes.path == "${path}"`),
    );
    const found = compiled.ok ? compiled.condition?.({ resourceAttributes: {} }) : undefined;
    const message = found?.ok === false ? found.error.message : '';
    expect(message.match(/expression 'request/g)).toHaveLength(2);
    expect(message.startsWith('[cel evaluation error: ')).toBe(true);
  });

  it('says which condition is wrong', () => {
    expect(compileReviewConditions(['request.nothing'])).toMatchObject({
      message: expect.stringMatching(/^compilation failed: /) as string,
    });
    expect(compileReviewConditions(['true', 'request.nothing'])).toMatchObject({
      ok: false,
      index: 1,
    });
    expect(compileReviewConditions(['request.user'])).toEqual({
      ok: false,
      index: 0,
      message: 'must evaluate to bool',
    });
  });
});
