import { expect, it } from 'vitest';
import { measureChunk, WatchMeters } from './watch-meters.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

it('counts what is rendered once for every watcher that it is sent to', () => {
  const meters = new WatchMeters();
  const chunk = Buffer.alloc(4_000);
  measureChunk(chunk, [1_000, 3_000]);
  for (let watcher = 0; watcher < 3; watcher += 1) meters.of(PODS).sent(chunk);
  meters.of(PODS).sent(Buffer.from('not measured'));
  meters.of({ ...PODS, resource: 'nodes' });
  const text = meters.format();
  expect(text).toContain('apiserver_watch_events_total{group="",resource="pods",version="v1"} 6\n');
  expect(text).toContain('resource="pods",version="v1",le="1024"} 3\n');
  expect(text).toContain('resource="pods",version="v1",le="4096"} 6\n');
  expect(text).toContain('_sum{group="",resource="pods",version="v1"} 12000\n');
  expect(text).not.toContain('nodes');
});

it('has no more series than so many, whatever is watched', () => {
  const meters = new WatchMeters();
  const chunk = Buffer.alloc(1);
  measureChunk(chunk, [1]);
  for (let at = 0; at < 3_000; at += 1) {
    meters.of({ ...PODS, resource: `r${String(at)}` }).sent(chunk);
  }
  const totals = meters.format().match(/^apiserver_watch_events_total.*$/gm) ?? [];
  expect(totals).toHaveLength(2_000);
  expect(totals).toContain('apiserver_watch_events_total{group="",resource="",version=""} 1001');
});

it('tells how long watches took to show what was there, by what they were of', () => {
  const meters = new WatchMeters();
  meters.listed(PODS, { namespace: '', name: '' }, 300);
  meters.listed(PODS, { namespace: 'shop', name: '' }, 300);
  meters.listed(PODS, { namespace: 'shop', name: 'a' }, 300);
  const counts = meters.format().match(/^.*_seconds_count.*$/gm);
  const labels = 'group="",resource="pods"';
  expect(counts).toEqual(
    ['cluster', 'namespace', 'resource'].map(
      (scope) =>
        `apiserver_watch_list_duration_seconds_count{${labels},scope="${scope}",version="v1"} 1`,
    ),
  );
});
