import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { deployment, pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { testMeters } from '../../test-meters.fixture.ts';
import { PluginConfigurationError } from '../../plugin-configuration.ts';
import { podSecurity } from './pod-security.ts';

const NAMESPACES = '/api/v1/namespaces';
const PODS = `${NAMESPACES}/ns/pods`;
const PREFIX = 'pod-security.kubernetes.io/';
const PRIVILEGED = {
  containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }],
};
const WHAT = 'privileged (container "c" must not set securityContext.privileged=true)';

function labelled(labels: StringMap): StringMap {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));
}

function namespace(labels: StringMap, name = 'ns'): JsonObject {
  return { kind: 'Namespace', apiVersion: 'v1', metadata: { name, labels: labelled(labels) } };
}

async function given(labels: StringMap, content?: JsonObject) {
  const typed = {
    kind: 'PodSecurityConfiguration',
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
  };
  const configuration = content && { content: { ...typed, ...content }, file: 'policy.yaml' };
  const meters = testMeters();
  const plane = await givenPlugin(
    (world) => podSecurity({ ...world, meters }, configuration),
    [[NAMESPACES, namespace(labels)]],
  );
  return { ...plane, told: meters.told };
}

describe('PodSecurity of pods', () => {
  it('lets anything into a namespace that says nothing', async () => {
    const { admit } = await given({});
    const { message, annotations } = await admit({ url: PODS, object: pod('p', PRIVILEGED) });
    expect(message).toBe('');
    expect(annotations).toEqual({ [`${PREFIX}enforce-policy`]: 'privileged:latest' });
  });

  it('refuses what is enforced against', async () => {
    const { admit } = await given({ enforce: 'baseline' });
    const { status, annotations } = await admit({ url: PODS, object: pod('p', PRIVILEGED) });
    expect(status).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${WHAT}`,
      details: { name: 'p', kind: 'pods' },
    });
    expect(annotations).toEqual({ [`${PREFIX}enforce-policy`]: 'baseline:latest' });
  });

  it('warns of what is warned of, and writes down what is audited', async () => {
    const { admit } = await given({
      warn: 'baseline',
      audit: 'restricted',
      'audit-version': 'v1.0',
    });
    const { message, warnings, annotations } = await admit({
      url: PODS,
      object: pod('p', PRIVILEGED),
    });
    expect(message).toBe('');
    expect(warnings).toEqual([`would violate PodSecurity "baseline:latest": ${WHAT}`]);
    expect(annotations[`${PREFIX}audit-violations`]).toMatch(
      /^would violate PodSecurity "restricted:v1.0": privileged \(.*, runAsNonRoot != true \(/,
    );
  });

  it('refuses a pod in a namespace that is not there, and only notes a workload', async () => {
    const { admit, told } = await given({});
    const url = `${NAMESPACES}/none/pods`;
    const { status, annotations } = await admit({ url, object: pod('p') });
    const what = 'failed to lookup namespace "none"';
    expect(status).toMatchObject({ code: 500, message: `Internal error occurred: ${what}` });
    const why = 'namespaces "none" not found';
    expect(annotations[`${PREFIX}error`]).toBe(`Internal error occurred: ${what}: ${why}`);
    const deployments = '/apis/apps/v1/namespaces/none/deployments';
    const workload = await admit({ url: deployments, object: deployment('d', 1) });
    expect(workload.message).toBe('');
    expect(workload.annotations[`${PREFIX}error`]).toBe(`${what}: ${why}`);
    expect(told).toEqual(['failed CREATE pod', 'failed CREATE controller']);
  });

  it('writes down what is audited of a workload, without a warning to the client', async () => {
    const { admit } = await given({ audit: 'baseline' });
    const template = { metadata: {}, spec: PRIVILEGED };
    const object = {
      ...deployment('d', 1),
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    };
    const url = '/apis/apps/v1/namespaces/ns/deployments';
    const { warnings, annotations } = await admit({ url, object });
    expect(warnings).toEqual([]);
    expect(annotations[`${PREFIX}audit-violations`]).toContain(WHAT);
  });

  it('says nothing twice of a pod that is refused', async () => {
    const { admit } = await given({ enforce: 'baseline', warn: 'restricted' });
    const { warnings } = await admit({ url: PODS, object: pod('p', PRIVILEGED) });
    expect(warnings).toEqual([]);
  });

  it('enforces the most where the label cannot be read', async () => {
    const { admit } = await given({ enforce: 'strict' });
    const { message, annotations } = await admit({ url: PODS, object: pod('p') });
    expect(message).toMatch(/violates PodSecurity "restricted:latest": allowPrivilegeEscalation/);
    expect(annotations[`${PREFIX}error`]).toBe(
      `Failed to parse policy: metadata.labels[${PREFIX}enforce]: Invalid value: "strict": ` +
        'must be one of privileged, baseline, restricted',
    );
  });

  it('looks again only at pods whose images change', async () => {
    const { admit } = await given({ enforce: 'baseline' });
    const object = pod('p', PRIVILEGED);
    const update = { url: `${PODS}/p`, operation: 'UPDATE', object } as const;
    expect((await admit({ ...update, oldObject: object })).message).toBe('');
    const [container] = PRIVILEGED.containers;
    const before = pod('p', { containers: [{ ...container, image: 'other' }] });
    expect((await admit({ ...update, oldObject: before })).message).not.toBe('');
    const status = await admit({ ...update, url: `${PODS}/p/status`, oldObject: before });
    expect(status.message).toBe('');
  });

  it('looks at ephemeral containers', async () => {
    const { admit } = await given({ enforce: 'baseline' });
    const added = { ephemeralContainers: PRIVILEGED.containers };
    const { message } = await admit({
      ...{ url: `${PODS}/p/ephemeralcontainers`, operation: 'UPDATE' },
      ...{ object: pod('p', added), oldObject: pod('p') },
    });
    expect(message).toMatch(/violates PodSecurity "baseline:latest"/);
  });

  it('warns of workloads, and refuses none', async () => {
    const { admit } = await given({ enforce: 'restricted' });
    const object = deployment('d', 1);
    const url = '/apis/apps/v1/namespaces/ns/deployments';
    const { message, warnings } = await admit({ url, object });
    expect(message).toBe('');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^would violate PodSecurity "restricted:latest": allowPrivilege/);
  });
});

describe('PodSecurity by configuration', () => {
  const content = {
    defaults: { enforce: 'baseline', 'enforce-version': 'v1.24' },
    exemptions: { usernames: ['root'], namespaces: ['free'], runtimeClasses: ['vm'] },
  };

  it('holds where a namespace says nothing', async () => {
    const { admit } = await given({}, content);
    const { message, warnings } = await admit({ url: PODS, object: pod('p', PRIVILEGED) });
    expect(message).toMatch(/violates PodSecurity "baseline:v1.24"/);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['user', PODS, {}, { name: 'root' }],
    ['namespace', `${NAMESPACES}/free/pods`, {}, {}],
    ['runtimeClass', PODS, { runtimeClassName: 'vm' }, {}],
  ])('exempts by %s', async (exempt, url, spec, user) => {
    const { admit } = await given({}, content);
    const object = pod('p', { ...PRIVILEGED, ...spec });
    const { message, annotations } = await admit({ url, object, user });
    expect(message).toBe('');
    expect(annotations).toEqual({ [`${PREFIX}exempt`]: exempt });
  });

  it('says that labels of an exempt namespace mean nothing', async () => {
    const { admit } = await given({}, content);
    const plain = namespace({}, 'free');
    expect((await admit({ url: NAMESPACES, object: plain })).warnings).toEqual([]);
    const object = namespace({ enforce: 'restricted', 'warn-version': 'v1.1' }, 'free');
    expect((await admit({ url: NAMESPACES, object })).warnings).toEqual([
      'namespace "free" is exempt from Pod Security, and the policy ' +
        '(enforce=restricted:v1.24, warn=restricted:v1.1) will be ignored',
    ]);
  });

  it.each([
    [{ defaults: { enforce: 'x' } }, 'defaults.enforce: Invalid value: "x": must be one of'],
    [{ defaults: { 'warn-version': 'x' } }, 'defaults.warn-version: Invalid value: "x": must be'],
    [{ exemptions: { usernames: [''] } }, 'exemptions.usernames[0]: Invalid value: "": username'],
    [{ exemptions: { namespaces: ['a', 'a'] } }, 'exemptions.namespaces[1]: Duplicate value: "a"'],
    [{ exemptions: { runtimeClasses: ['A'] } }, 'exemptions.runtimeClasses[0]: Invalid value: "A"'],
  ])('does not begin with %j', async (wrong, why) => {
    await expect(given({}, wrong)).rejects.toThrow(PluginConfigurationError);
    await expect(given({}, wrong)).rejects.toThrow(why);
  });
});

describe('PodSecurity of namespaces', () => {
  it('refuses labels that cannot be read', async () => {
    const { admit } = await given({});
    const { status } = await admit({ url: NAMESPACES, object: namespace({ warn: 'much' }, 'new') });
    expect(status).toMatchObject({
      code: 422,
      message:
        `Namespace "new" is invalid: metadata.labels[${PREFIX}warn]: Invalid value: "much": ` +
        'must be one of privileged, baseline, restricted',
    });
  });

  it('leaves alone what was wrong before', async () => {
    const { admit } = await given({});
    const object = namespace({ warn: 'much' });
    const update = { url: `${NAMESPACES}/ns`, operation: 'UPDATE', object } as const;
    expect((await admit({ ...update, oldObject: object })).message).toBe('');
    expect((await admit({ ...update, oldObject: namespace({}) })).status?.code).toBe(422);
    const mended = { ...update, object: namespace({}), oldObject: object };
    expect((await admit(mended)).message).toBe('');
  });

  async function givenPods() {
    const plane = await given({});
    for (const name of ['c', 'b', 'a']) await plane.post(PODS, pod(name, PRIVILEGED));
    await plane.post(PODS, pod('open', { hostPID: true }));
    await plane.post(PODS, pod('good'));
    return plane;
  }

  const stricter = (enforce: string) => ({
    ...{ url: `${NAMESPACES}/ns`, operation: 'UPDATE' as const },
    ...{ object: namespace({ enforce }), oldObject: namespace({}) },
  });

  it('warns of pods that would not be let in any more', async () => {
    const { admit } = await givenPods();
    const { message, warnings } = await admit(stricter('baseline'));
    expect(message).toBe('');
    expect(warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 2 other pods): privileged',
      'open: host namespaces',
    ]);
  });

  it('looks at one pod of each controller first where not all can be looked at', async () => {
    const { admit, post, clock } = await given({});
    const of = (uid: string) => ({
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true },
      ],
    });
    const open = (more: JsonObject) => ({ containers: [{ name: 'c', image: 'i' }], ...more });
    await post(PODS, pod('a1', open({ hostPID: true }), of('a')));
    await post(PODS, pod('a2', open({ hostPID: true }), of('a')));
    await post(PODS, pod('b1', PRIVILEGED, of('b')));
    const now = clock.now();
    let looks = 0;
    // The time is over behind the second pod.
    clock.now = () => ((looks += 1) > 2 ? now + 3_600_000 : now);
    const { warnings } = await admit(stricter('baseline'));
    expect(warnings[0]).toBe(
      'new PodSecurity enforce level only checked against the first 2 of 3 existing pods',
    );
    expect(warnings.slice(2)).toEqual(['a1: host namespaces', 'b1: privileged']);
  });

  it('does not look at pods where it becomes no stricter', async () => {
    const { admit } = await givenPods();
    expect((await admit(stricter('privileged'))).warnings).toEqual([]);
    const { object, oldObject, ...rest } = stricter('baseline');
    const relaxed = { ...rest, object, oldObject: namespace({ enforce: 'restricted' }) };
    expect((await admit(relaxed)).warnings).toEqual([]);
    expect((await admit({ ...rest, object, oldObject: object })).warnings).toEqual([]);
    expect(oldObject).toBeDefined();
  });
});

describe('the figures of PodSecurity', () => {
  it('tell of each mode that something followed from', async () => {
    const { admit, told } = await given({
      enforce: 'baseline',
      audit: 'restricted',
      warn: 'baseline',
    });
    await admit({ url: PODS, object: pod('p', PRIVILEGED) });
    await admit({ url: PODS, object: pod('p') });
    expect(told).toEqual([
      'deny baseline latest enforce CREATE pod',
      'deny restricted latest audit CREATE pod',
      'allow baseline latest enforce CREATE pod',
      'deny restricted latest audit CREATE pod',
    ]);
  });

  it('tell of workloads, of exemptions and of labels that are wrong', async () => {
    const deployments = '/apis/apps/v1/namespaces/ns/deployments';
    const open = await given({ warn: 'baseline' });
    const object = deployment('d', 1);
    const template = { metadata: {}, spec: PRIVILEGED };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await open.admit({ url: deployments, object: { ...object, spec } });
    expect(open.told).toEqual(['deny baseline latest warn CREATE controller']);
    const exempting = await given({}, { exemptions: { usernames: ['jane'] } });
    await exempting.admit({ url: PODS, object: pod('p') });
    expect(exempting.told).toEqual(['exempted CREATE pod']);
  });
});
