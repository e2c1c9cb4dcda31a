import { describe, expect, it } from 'vitest';
import { followedObjects } from '../followed-objects.fixture.ts';
import { nodeGraph } from './node-graph.ts';

function pod(nodeName: string, secretName: string) {
  return {
    metadata: { namespace: 'n', name: 'p' },
    spec: { nodeName, volumes: [{ name: 'v', secret: { secretName } }] },
  };
}

function given() {
  const { followed, told, gone } = followedObjects();
  const graph = nodeGraph(followed);
  // From here on it hears of everything.
  graph.reaches('', 'pods', '');
  return {
    followed,
    told,
    gone,
    sees: (node: string, name: string) => graph.reaches(node, 'secrets', `n/${name}`),
  };
}

describe('nodeGraph', () => {
  it('follows what runs where', () => {
    const { told, gone, sees } = given();
    told('core/pods', pod('one', 'a'));
    expect([sees('one', 'a'), sees('two', 'a'), sees('one', 'b')]).toEqual([true, false, false]);
    told('core/pods', pod('two', 'b'));
    expect([sees('one', 'a'), sees('two', 'b')]).toEqual([false, true]);
    gone('core/pods', pod('two', 'b'));
    expect(sees('two', 'b')).toBe(false);
  });

  it('keeps what another pod still needs', () => {
    const { told, gone, sees } = given();
    const other = { ...pod('one', 'a'), metadata: { namespace: 'n', name: 'q' } };
    told('core/pods', pod('one', 'a'));
    told('core/pods', other);
    expect(sees('one', 'a')).toBe(true);
    gone('core/pods', other);
    expect(sees('one', 'a')).toBe(true);
  });

  it('goes through volumes, as long as they are claimed', () => {
    const { told, sees } = given();
    told('core/pods', {
      metadata: { namespace: 'n', name: 'p' },
      spec: { nodeName: 'one', volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] },
    });
    const volume = (claimRef: object) => ({
      metadata: { name: 'v' },
      spec: { csi: { nodeStageSecretRef: { namespace: 'n', name: 's' } }, ...claimRef },
    });
    told('core/persistentvolumes', volume({ claimRef: { namespace: 'n', name: 'c' } }));
    expect(sees('one', 's')).toBe(true);
    told('core/persistentvolumes', volume({}));
    expect(sees('one', 's')).toBe(false);
  });

  it('begins anew where what it heard is void', () => {
    const { followed, told, sees } = given();
    told('core/pods', pod('one', 'a'));
    expect(sees('one', 'a')).toBe(true);
    followed.skipTo();
    expect(sees('one', 'a')).toBe(false);
  });
});
