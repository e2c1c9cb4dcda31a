import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ReviewAnswer } from '../../../request/webhook-review.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { imagePolicyIn, imagePolicyWebhook } from './image-policy-webhook.ts';

const EPHEMERAL_URL = `${PODS_URL}/web/ephemeralcontainers`;
const PREFIX = 'imagepolicywebhook.image-policy.k8s.io';

function imagePolicy(said: JsonObject = {}) {
  const content = { imagePolicy: { kubeConfigFile: 'images.yaml', ...said } };
  return { content, file: 'admission.yaml' };
}

/** A webhook that answers each review with the next of these, and then with the last. */
async function given(answers: readonly (JsonObject | ReviewAnswer)[], said: JsonObject = {}) {
  const asked: JsonObject[] = [];
  const plane = await givenPlugin((world) => {
    const imageReviews = {
      post(body: Buffer) {
        asked.push(JSON.parse(body.toString()) as JsonObject);
        const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
        if ('ok' in answer) return Promise.resolve(answer as ReviewAnswer);
        const review = { kind: 'ImageReview', status: answer };
        return Promise.resolve({ ok: true as const, body: Buffer.from(JSON.stringify(review)) });
      },
    };
    return imagePolicyWebhook({ ...world, imageReviews }, imagePolicy(said));
  });
  return { ...plane, asked };
}

function pod(more: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  const containers = [
    { name: 'a', image: 'a:1' },
    { name: 'b', image: 'b:1' },
  ];
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: { containers, ...more },
  };
}

const FAILING: ReviewAnswer = { ok: false, message: 'connection refused', mayRetry: false };

describe('ImagePolicyWebhook', () => {
  it('shows the images of a pod and of what runs before it, and only annotations meant for it', async () => {
    const { admit, asked } = await given([{ allowed: true }]);
    const object = pod(
      { initContainers: [{ name: 'i', image: 'i:1' }], ephemeralContainers: [{ image: 'e:1' }] },
      {
        'my.image-policy.k8s.io/ticket': '7',
        'example.com/other': 'x',
        'image-policy.k8s.io/y': '',
      },
    );
    expect(await admit({ url: PODS_URL, object })).toMatchObject({ status: undefined });
    expect(asked).toEqual([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: {},
        spec: {
          containers: [{ image: 'a:1' }, { image: 'b:1' }, { image: 'i:1' }],
          annotations: { 'my.image-policy.k8s.io/ticket': '7' },
          namespace: 'default',
        },
        status: { allowed: false },
      },
    ]);
  });

  it('looks at what is run beside a pod that is there (CVE-2023-2727)', async () => {
    const { admit, asked } = await given([{ allowed: false, reason: 'not signed' }]);
    const object = pod({ ephemeralContainers: [{ name: 'e', image: 'evil:1' }] });
    const { message } = await admit({ url: EPHEMERAL_URL, operation: 'UPDATE', object });
    expect(message).toBe(
      'pods "web" is forbidden: image policy webhook backend denied one or more images: not signed',
    );
    expect(asked[0]?.['spec']).toEqual({ containers: [{ image: 'evil:1' }], namespace: 'default' });
  });

  it('refuses without a reason where none is given, and asks about changes too', async () => {
    const { admit } = await given([{ allowed: false }]);
    const url = `${PODS_URL}/web`;
    const { message, status } = await admit({ url, operation: 'UPDATE', object: pod() });
    expect(message).toBe('pods "web" is forbidden: one or more images rejected by webhook backend');
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  const OF_THEIR_OWN: Readonly<Record<string, JsonObject>> = {
    binding: { apiVersion: 'v1', kind: 'Binding', target: { name: 'n' } },
    eviction: { apiVersion: 'policy/v1', kind: 'Eviction' },
  };
  it.each(['status', 'resize', 'binding', 'eviction'])(
    'is not asked about pods/%s',
    async (sub) => {
      const { admit, asked } = await given([{ allowed: false }]);
      const object = OF_THEIR_OWN[sub] ?? pod();
      const url = `${PODS_URL}/web/${sub}`;
      expect((await admit({ url, operation: 'UPDATE', object })).message).toBe('');
      expect(asked).toEqual([]);
    },
  );

  it('leaves what it is told in the audit, where the key is one', async () => {
    const auditAnnotations = { ticket: '7', 'no key': 'x' };
    const { admit } = await given([{ allowed: true, auditAnnotations }]);
    const { annotations } = await admit({ url: PODS_URL, object: pod() });
    expect(annotations).toEqual({ [`${PREFIX}/ticket`]: '7' });
  });

  it('remembers answers for as long as it is told, a yes longer than a no', async () => {
    const { admit, asked, clock } = await given([{ allowed: true }], { allowTTL: 60, denyTTL: -1 });
    await admit({ url: PODS_URL, object: pod() });
    clock.advance(59_999);
    await admit({ url: PODS_URL, object: pod() });
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await admit({ url: PODS_URL, object: pod() });
    expect(asked).toHaveLength(2);
    const never = await given([{ allowed: false }], { denyTTL: -1 });
    await never.admit({ url: PODS_URL, object: pod() });
    await never.admit({ url: PODS_URL, object: pod() });
    expect(never.asked).toHaveLength(2);
  });

  it('refuses while the webhook does not answer, or lets pods in and says so', async () => {
    const closed = await given([FAILING]);
    expect((await closed.admit({ url: PODS_URL, object: pod() })).message).toBe(
      'pods "web" is forbidden: connection refused',
    );
    const open = await given([FAILING, FAILING, { allowed: false }], { defaultAllow: true });
    const { status, annotations } = await open.admit({ url: PODS_URL, object: pod() });
    expect(status).toBeUndefined();
    expect(annotations).toEqual({ [`${PREFIX}/failed-open`]: 'true' });
    await open.admit({ url: PODS_URL, object: pod() });
    expect((await open.admit({ url: PODS_URL, object: pod() })).message).toContain('rejected by');
  });

  it('asks again where that may help, after a while that is configured', async () => {
    const busy: ReviewAnswer = { ok: false, message: 'busy', mayRetry: true };
    const { admit, asked, clock } = await given([busy, { allowed: true }], { retryBackoff: 200 });
    const answer = admit({ url: PODS_URL, object: pod() });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    clock.advance(199);
    await settled();
    expect(asked).toHaveLength(1);
    clock.advance(41);
    expect((await answer).status).toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});

describe('the configuration of ImagePolicyWebhook', () => {
  it('has defaults, and a number that means never', () => {
    expect(imagePolicyIn(imagePolicy())).toEqual({
      kubeConfigFile: 'images.yaml',
      allowTtlMs: 300_000,
      denyTtlMs: 30_000,
      retryBackoffMs: 500,
      defaultAllow: false,
    });
    const said = { allowTTL: -1, denyTTL: 10, retryBackoff: 1, defaultAllow: true };
    expect(imagePolicyIn(imagePolicy(said))).toMatchObject({
      allowTtlMs: 0,
      denyTtlMs: 10_000,
      retryBackoffMs: 1,
      defaultAllow: true,
    });
  });

  it.each([
    [undefined, 'no config specified'],
    [imagePolicy({ kubeConfigFile: '' }), 'kubeConfigFile must be set'],
    [imagePolicy({ allowTTL: 1_801 }), 'between 1s and 30m0s, got 1801s'],
    [imagePolicy({ retryBackoff: -2 }), 'between 1ns and 5m0s, got -2ms'],
    [imagePolicy({ denyTTL: '30s' }), 'must be a whole number'],
  ])('is refused where it says %j', (configuration, why) => {
    expect(() => imagePolicyIn(configuration)).toThrow(why);
  });
});
