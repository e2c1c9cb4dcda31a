import { describe, expect, it } from 'vitest';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from '../event-log.ts';
import { encodeRecord, recordOf } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { TopicSettingsError } from './kafka-errors.ts';
import { BATCH_BYTES_NEEDED, checkTopic, TOPIC_SETTINGS, type TopicFacts } from './kafka-topic.ts';
import { batchSizeMax } from './record-batch.ts';

const GOOD: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'unclean.leader.election.enable': 'false',
  'min.insync.replicas': '2',
  'retention.ms': '-1',
  'retention.bytes': '-1',
  'message.timestamp.type': 'LogAppendTime',
  'compression.type': 'producer',
  'max.message.bytes': String(BATCH_BYTES_NEEDED),
};

function topic(changes: Record<string, string> = {}, facts: Partial<TopicFacts> = {}): TopicFacts {
  const settings = new Map(Object.entries({ ...GOOD, ...changes }));
  return { topic: 'log', partitions: 1, replicas: 3, settings, ...facts };
}

function problem(facts: TopicFacts, wanted = TOPIC_SETTINGS): unknown {
  try {
    checkTopic(facts, wanted);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TopicSettingsError);
    return error instanceof TopicSettingsError ? error.setting : error;
  }
}

describe('checkTopic', () => {
  it('accepts what a log needs, and more', () => {
    expect(problem(topic())).toBeUndefined();
    expect(problem(topic({ 'min.insync.replicas': '3' }))).toBeUndefined();
    expect(problem(topic({ 'min.insync.replicas': '1' }, { replicas: 1 }))).toBeUndefined();
    expect(problem(topic({ 'max.message.bytes': '100000000' }))).toBeUndefined();
    expect(problem(topic({ 'compression.type': 'gzip' }))).toBeUndefined();
  });

  it.each([
    ['cleanup.policy', 'compact', 'delete'],
    ['cleanup.policy', 'delete,compact', 'delete'],
    ['unclean.leader.election.enable', 'true', 'false'],
    ['min.insync.replicas', '1', '2'],
    ['retention.ms', '1000', '-1'],
    ['retention.bytes', '1000', '-1'],
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
    ['compression.type', 'lz4', 'producer'],
    ['max.message.bytes', String(BATCH_BYTES_NEEDED - 1), String(BATCH_BYTES_NEEDED)],
  ])('refuses %s=%s, and says what mends it', (setting, value, mended) => {
    const facts = topic({ [setting]: value });

    expect(problem(facts)).toBe(setting);
    expect(() => {
      checkTopic(facts, TOPIC_SETTINGS);
    }).toThrow(
      new RegExp(
        `the topic log has ${setting}=.*kafka-configs.sh .* --add-config ${setting}=${mended}\\b`,
      ),
    );
  });

  it('wants a majority of many replicas', () => {
    expect(problem(topic({ 'min.insync.replicas': '2' }, { replicas: 5 }))).toBe(
      'min.insync.replicas',
    );
    expect(problem(topic({ 'min.insync.replicas': '3' }, { replicas: 5 }))).toBeUndefined();
  });

  it('accepts a retention that is as long as was asked for', () => {
    const wanted = { ...TOPIC_SETTINGS, retentionMs: 5_000, retentionBytes: 100 };
    const kept = (ms: string, bytes: string) =>
      problem(topic({ 'retention.ms': ms, 'retention.bytes': bytes }), wanted);

    expect(kept('5000', '100')).toBeUndefined();
    expect(kept('-1', '-1')).toBeUndefined();
    expect(kept('4999', '100')).toBe('retention.ms');
    expect(kept('5000', '99')).toBe('retention.bytes');
    expect(() => {
      checkTopic(topic({ 'retention.ms': '4999', 'retention.bytes': '100' }), wanted);
    }).toThrow(/at least 5000, or -1 \(for ever\).* --add-config retention\.ms=5000\b/);
  });

  it('refuses more than one partition before anything else', () => {
    expect(problem(topic({ 'cleanup.policy': 'compact' }, { partitions: 2 }))).toBe('partitions');
  });
});

describe('the largest batch', () => {
  it('has room for the largest append, even if it is nothing but names', () => {
    const name = 'n'.repeat(Math.floor(APPEND_BYTES_MAX / APPEND_EVENTS_MAX) - 250);
    const worst = Array.from({ length: APPEND_EVENTS_MAX }, (_, n) =>
      proposedEvent(n, { path: `default/${name}`, json: Buffer.alloc(0) }),
    );
    const frames = worst.reduce((sum, event) => sum + encodeRecord(event).length, 0);

    expect(frames).toBeGreaterThan(APPEND_BYTES_MAX * 0.9);
    expect(frames).toBeLessThanOrEqual(APPEND_BYTES_MAX);
    expect(batchSizeMax(worst.map(recordOf))).toBeLessThanOrEqual(BATCH_BYTES_NEEDED);
  });
});
