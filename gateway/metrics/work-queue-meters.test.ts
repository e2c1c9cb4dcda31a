import { expect, it } from 'vitest';
import { startWorkQueue, type WorkOutcome } from '../../actors/controllers/work-queue.ts';
import { testClock, testFaults } from '../../actors/request/given.fixture.ts';
import { Metrics } from './metrics.ts';
import { measureWorkQueues } from './work-queue-meters.ts';

it('tells of a queue what was added, what waits, how long it took and what comes again', async () => {
  const clock = testClock();
  const metrics = new Metrics({ clock, isServed: () => true });
  measureWorkQueues(metrics, clock);
  let looks = 0;
  const lines = async () =>
    (await metrics.format())
      .split('\n')
      .filter((line) => line.includes('name="measured-queue"') && !line.includes('_bucket'));
  let done: () => void = () => undefined;
  const work = async (): Promise<WorkOutcome> => {
    looks += 1;
    await new Promise<void>((resolve) => (done = resolve));
    return looks === 1 ? 'later' : 'done';
  };
  const parts = { clock, faults: testFaults() };
  const queue = startWorkQueue({ name: 'measured-queue', width: 1, work }, parts);
  queue.add('a');
  queue.add('b');
  await expect.poll(() => looks).toBe(1);
  clock.advance(2_000);
  const during = await lines();
  expect(during).toContain('workqueue_depth{name="measured-queue"} 1');
  expect(during).toContain('workqueue_unfinished_work_seconds{name="measured-queue"} 2');
  expect(during).toContain('workqueue_longest_running_processor_seconds{name="measured-queue"} 2');
  done();
  await expect.poll(() => looks).toBe(2);
  done();
  await queue.stop();
  expect(await lines()).toEqual([
    'workqueue_adds_total{name="measured-queue"} 2',
    'workqueue_retries_total{name="measured-queue"} 1',
    'workqueue_depth{name="measured-queue"} 0',
    'workqueue_unfinished_work_seconds{name="measured-queue"} 0',
    'workqueue_longest_running_processor_seconds{name="measured-queue"} 0',
    'workqueue_queue_duration_seconds_sum{name="measured-queue"} 2',
    'workqueue_queue_duration_seconds_count{name="measured-queue"} 2',
    'workqueue_work_duration_seconds_sum{name="measured-queue"} 2',
    'workqueue_work_duration_seconds_count{name="measured-queue"} 2',
  ]);
});
