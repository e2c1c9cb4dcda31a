/** Nodes that ask about random pods and volumes, answered as kube-apiserver answered when it was asked. */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../authorizer.ts';
import { decisionsHere, RECORDED, recordedDecisions } from './given-node-graph.fixture.ts';
import { NO_INFO, userNamed } from '../rbac/given-policy.fixture.ts';
import { nodeAuthorizer } from './node-authorizer.ts';
import { podReferences, volumeSecrets } from './node-references.ts';
import { NO_RULES } from '../rule-resolver.ts';

const SELECTING = 'can only list/watch podcertificaterequests with nodeName field selector';
const NO_STATUS = 'nodes may not access the status subresource of PodCertificateRequests';

describe('what a node may do', () => {
  it.each(RECORDED)('is what kube-apiserver lets it, in section $at', ({ graph, asked, at }) => {
    const ours = decisionsHere(graph, asked);
    const differing = recordedDecisions.differing(at, ours);
    const shown = differing.map((which) => ({ ...asked[which], ours: ours[which] }));
    expect(shown.slice(0, 3)).toEqual([]);
  });

  it.each([
    { apiGroup: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease' },
    { apiGroup: 'storage.k8s.io', resource: 'csinodes', namespace: '' },
  ])('of $resource is all that has its name, and nothing that has another', (place) => {
    const authorizer = nodeAuthorizer({ graph: { reaches: () => false }, rules: [] });
    const user = userNamed('system:node:one', ['system:nodes']);
    const verdictOf = (verb: string, name: string) => {
      const request = { ...NO_INFO, ...place, verb, name, isResourceRequest: true };
      // It answers at once.
      return (authorizer.authorize({ user, request }) as Decision).verdict;
    };
    for (const verb of ['get', 'update', 'patch', 'delete']) {
      expect([verb, verdictOf(verb, 'one')]).toEqual([verb, 'allow']);
      expect([verb, verdictOf(verb, 'two')]).toEqual([verb, 'noOpinion']);
    }
  });

  it.each([
    ['create', '', '', '', 'allow'],
    ['get', '', 'mine', '', 'allow'],
    ['get', '', 'other', '', "no relationship found between node 'one' and this object"],
    ['list', '', '', 'spec.nodeName=one', 'allow'],
    ['watch', '', '', 'spec.nodeName=two', SELECTING],
    ['delete', '', 'mine', '', 'nodes may not delete podcertificaterequests'],
    ['update', 'status', 'mine', '', NO_STATUS],
  ])('of certificates of pods: %s%s %s %s', (verb, subresource, name, fieldSelector, told) => {
    const place = { apiGroup: 'certificates.k8s.io', resource: 'podcertificaterequests' };
    const about = { verb, subresource, name, fieldSelector, namespace: 'shop' };
    const request = { ...NO_INFO, ...place, ...about, isResourceRequest: true };
    const user = userNamed('system:node:one', ['system:nodes']);
    const graph = { reaches: (_node: string, _what: string, path: string) => path === 'shop/mine' };
    const decided = (hasPodCertificates: boolean): Decision =>
      // It answers at once.
      nodeAuthorizer({ graph, rules: [], hasPodCertificates }).authorize({
        ...{ user, request },
      }) as Decision;
    const { verdict, reason } = decided(true);
    expect(verdict === 'allow' ? verdict : reason).toBe(told);
    expect(decided(false)).toEqual({ verdict: 'noOpinion', reason: '' });
  });

  it('cannot be listed, for nodes alone', () => {
    const authorizer = nodeAuthorizer({ graph: { reaches: () => true }, rules: [] });
    expect(authorizer.rulesFor(userNamed('system:node:one', ['system:nodes']), '')).toEqual({
      ...{ resourceRules: [], pathRules: [], isIncomplete: true },
      problem: 'node authorizer does not support user rule resolution',
    });
    expect(authorizer.rulesFor(userNamed('jane'), '')).toBe(NO_RULES);
  });
});

describe('the secrets of a volume', () => {
  const claimRef = { namespace: 'c', name: 'x' };

  it.each(['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'])(
    'of %s are in the namespace of its claim unless it says another',
    (source) => {
      const own = { [source]: { secretRef: { name: 's' } }, claimRef };
      expect(volumeSecrets(own)).toEqual([{ namespace: 'c', name: 's' }]);
      const other = { [source]: { secretRef: { name: 's', namespace: 'o' } }, claimRef };
      expect(volumeSecrets(other)).toEqual([{ namespace: 'o', name: 's' }]);
    },
  );

  it('of Azure files are too', () => {
    const azureFile = { secretName: 's', shareName: '', secretNamespace: null };
    expect(volumeSecrets({ azureFile, claimRef })).toEqual([{ namespace: 'c', name: 's' }]);
    const elsewhere = { azureFile: { ...azureFile, secretNamespace: 'o' }, claimRef };
    expect(volumeSecrets(elsewhere)).toEqual([{ namespace: 'o', name: 's' }]);
  });

  it.each(['cinder', 'storageos'])('of %s are where it says', (source) => {
    const spec = { [source]: { secretRef: { name: 's', namespace: 'o' } }, claimRef };
    expect(volumeSecrets(spec)).toEqual([{ namespace: 'o', name: 's' }]);
  });

  it('of CSI are those that nodes need, and not those of controllers', () => {
    const reference = (name: string) => ({ name, namespace: 'o' });
    const csi = {
      driver: 'd',
      volumeHandle: 'h',
      nodePublishSecretRef: reference('p'),
      nodeStageSecretRef: reference('s'),
      nodeExpandSecretRef: reference('e'),
      controllerPublishSecretRef: reference('cp'),
      controllerExpandSecretRef: reference('ce'),
    };
    const names = volumeSecrets({ csi, claimRef }).map(({ name }) => name);
    expect(names).toEqual(['p', 's', 'e']);
    expect(volumeSecrets({})).toEqual([]);
  });
});

it('a pod that names nothing needs nothing', () => {
  const spec = {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [{ name: 'c', resources: {} }],
  };
  expect(podReferences({ metadata: { name: 'p' }, spec, status: {} })).toEqual([]);
  const empty = { metadata: {}, spec: { containers: null }, status: {} };
  expect(podReferences(empty)).toEqual([]);
});
