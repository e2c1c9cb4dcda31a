import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import type { EventType, LoggedEvent } from '../../streams/event.ts';
import { loggedEvent } from '../given.fixture.ts';
import { revisionsOf, summarizeChanges, summarizeRevision } from './object-revisions.ts';
import { fieldChanges } from './field-changes.ts';
import { redacted } from './secret-redaction.ts';
import { stateDifferences } from './state-diff.ts';

function event(version: number, type: EventType, object: JsonObject): LoggedEvent {
  return { ...loggedEvent(version), type, json: Buffer.from(JSON.stringify(object)) };
}

const META = { apiVersion: 'apps/v1', kind: 'Deployment' };

describe('the revisions of an object', () => {
  it('tell what each changed, and that a name was used again', () => {
    const one = { ...META, metadata: { name: 'web' }, spec: { replicas: 1 } };
    const two = {
      ...one,
      metadata: { name: 'web', labels: { a: 'b', c: 'd' } },
      spec: { replicas: 3 },
    };
    const revisions = [
      ...revisionsOf([
        event(4, 'added', one),
        event(7, 'modified', two),
        event(8, 'modified', two),
        event(9, 'deleted', { ...two, spec: { replicas: 0 } }),
        event(12, 'added', one),
      ]),
    ];
    expect(revisions.map((one) => [one.event.resourceVersion, summarizeRevision(one)])).toEqual([
      [4, 'created'],
      [7, 'spec.replicas 1 → 3, +2 labels'],
      [8, 'nothing'],
      [9, 'deleted (spec.replicas 3 → 0)'],
      [12, 'created again'],
    ]);
    expect(revisions.map(({ before }) => before)).toEqual([undefined, one, two, two, undefined]);
  });

  it('say where the log does not have what was before', () => {
    const [first] = revisionsOf([event(4, 'modified', META)]);
    expect(first && summarizeRevision(first)).toContain('not in the log');
  });
});

describe('a summary', () => {
  const summary = (before: JsonObject, after: JsonObject): string =>
    summarizeChanges(fieldChanges(before, after, undefined));

  it.each<[string, JsonObject, JsonObject, string]>([
    ['what is set', {}, { spec: { a: 'x' } }, '+spec'],
    ['what goes', { spec: { a: 1 } }, { spec: {} }, '-spec.a'],
    ['small values', { spec: {} }, { spec: { a: '', b: null } }, '+spec.a "", +spec.b null'],
    ['line breaks', { d: 'a' }, { d: 'b\n\u001b[31m' }, 'd a → b\\n\\u001b[31m'],
    [
      'specs before status',
      { status: 1, spec: 1 },
      { status: 2, spec: 2 },
      'spec 1 → 2, status 1 → 2',
    ],
    [
      'large values',
      { a: [1], b: {} },
      { a: 'x'.repeat(99), b: 1 },
      `a [1] → ${'x'.repeat(39)}…, b {} → 1`,
    ],
    [
      'only so much',
      { a: 1, b: 1, c: 1, d: 1, e: 1 },
      { a: 2, b: 2, c: 2, d: 2, e: 2 },
      'a 1 → 2, b 1 → 2, c 1 → 2, 2 more',
    ],
    [
      'counts',
      { metadata: { labels: { a: '1', b: '2' }, annotations: { x: 'y' } } },
      { metadata: { labels: { a: '2', c: '3' } } },
      '1 label changed, -1 label, +1 label, 1 more',
    ],
    [
      'what follows only alone',
      { metadata: { generation: 1 } },
      { metadata: { generation: 2 } },
      'metadata.generation 1 → 2',
    ],
    [
      'what follows not beside others',
      { spec: 1, metadata: { generation: 1 } },
      { spec: 2, metadata: { generation: 2 } },
      'spec 1 → 2',
    ],
    ['nothing', { a: [{}] }, { a: [{}] }, ''],
  ])('tells %s', (_, before, after, expected) => {
    expect(summary(before, after)).toBe(expected);
  });
});

describe('a Secret', () => {
  const secret = (password: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 's',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${password}"}` },
    },
    data: { password: Buffer.from(password).toString('base64'), __proto__x: '' },
    stringData: { clear: password },
  });
  const WORDS = ['geheim', 'GEHEIM', Buffer.from('geheim').toString('base64')];

  it('is shown without its values, which can still be told apart', () => {
    const shown = JSON.stringify(redacted(secret('geheim'), secret('GEHEIM')));
    for (const word of WORDS) expect(shown).not.toContain(word);
    expect(redacted(secret('geheim'), secret('GEHEIM'))['data']).toEqual({
      password: '(6 bytes, other ones than before)',
      __proto__x: '(0 bytes)',
    });
  });

  it('never has its values in a summary', () => {
    const bare = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const states = [bare, secret('geheim'), secret('GEHEIM'), bare];
    const events = states.map((state, index) =>
      event(index + 1, index === 0 ? 'added' : 'modified', state),
    );
    const text = [...revisionsOf(events)].map(summarizeRevision).join('\n');
    for (const word of WORDS) expect(text).not.toContain(word);
    expect(text).toContain('data.password (6 bytes) → (6 bytes)');
  });

  it('is only a Secret', () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', data: { password: 'x' } };
    expect(redacted(map)).toBe(map);
  });
});

describe('two states', () => {
  async function* slices(...events: LoggedEvent[]): AsyncGenerator<readonly LoggedEvent[]> {
    for (const one of events) {
      await Promise.resolve();
      yield [one];
    }
  }
  const at = (path: string, version: number, uid = 'u', resource = 'core/pods'): LoggedEvent => ({
    ...loggedEvent(version, { path, resource }),
    uid,
  });

  it('are walked side by side', async () => {
    const before = slices(
      at('a/x', 1),
      at('b/x', 2),
      at('c/x', 3),
      at('d/x', 4),
      at('z/z', 9, 'u', 'other/last'),
    );
    const after = slices(
      at('a/x', 1),
      at('b/a', 7),
      at('b/x', 5),
      at('d/x', 6, 'v'),
      at('e/x', 8),
      at('z/z', 9, 'u', 'other/last'),
    );
    const found: string[] = [];
    for await (const one of stateDifferences(before, after, ({ path }) => path !== 'e/x')) {
      const event = 'after' in one ? one.after : one.before;
      found.push(`${one.kind} ${event.path}`);
    }
    expect(found).toEqual(['added b/a', 'changed b/x', 'removed c/x', 'replaced d/x']);
  });
});
