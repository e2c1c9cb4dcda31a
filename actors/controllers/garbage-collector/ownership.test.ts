import { describe, expect, it } from 'vitest';
import { Ownership, ownedOf, ownersText, uidText } from './ownership.ts';

function text(object: object): string {
  return ownersText(Buffer.from(JSON.stringify(object)));
}

function owned(...uids: string[]) {
  const ownerReferences = uids.map((uid) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: uid,
    uid,
  }));
  return ownedOf({ uid: 'me', ownerReferences }, '');
}

describe('what an object says of its owners', () => {
  it('is nothing where it has none, whatever else it speaks of', () => {
    expect(text({ metadata: { annotations: { a: '"ownerReferences":[1]' } } })).toBe('');
  });

  it('changes with its owners and with nothing else', () => {
    const owners = (uid: string) => [{ name: 'a "]" \\', uid }];
    const one = text({ metadata: { uid: '1', ownerReferences: owners('x') }, data: {} });
    const same = text({ metadata: { uid: '1', ownerReferences: owners('x') }, data: { b: 'c]' } });
    const other = text({ metadata: { uid: '1', ownerReferences: owners('y') }, data: {} });
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(one).toContain('"uid":"x"');
  });
});

describe('the graph', () => {
  it('knows the dependents of an owner, each once', () => {
    const graph = new Ownership();
    graph.set('a', owned('x', 'x', 'y'));
    graph.set('b', owned('x'));
    expect([...graph.dependentsOf('x')]).toEqual(['a', 'b']);
    expect([...graph.dependentsOf('y')]).toEqual(['a']);
  });

  it('forgets what an object no longer says', () => {
    const graph = new Ownership();
    graph.set('a', owned('x'));
    graph.set('a', owned('y'));
    expect(graph.dependentsOf('x').size).toBe(0);
    graph.set('a', owned());
    expect(graph.of('a')).toBeUndefined();
    expect(graph.delete('a')).toBeUndefined();
  });
});

describe('the uid of an object', () => {
  const uid = (object: object) => uidText(Buffer.from(JSON.stringify(object)));

  it('is that of the object, not of its owners', () => {
    const name = '"uid":"x"';
    expect(uid({ metadata: { name, uid: 'me', ownerReferences: [{ uid: 'owner' }] } })).toBe('me');
  });

  it('is not told where there is none, or one that is written oddly', () => {
    expect(uid({ metadata: { name: 'a' } })).toBeUndefined();
    expect(uid({ metadata: { uid: 'a"b' } })).toBeUndefined();
  });
});
