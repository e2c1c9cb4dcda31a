/** Fills the topic of a server that is stopped, as {@link appendFilling} has it. */
import { setTimeout as pause } from 'node:timers/promises';
import { EngineLogs } from '../../streams/kafka/engine-logs.fixture.ts';
import { appendFilling, type Filled, type Filling } from './filled-log.ts';

const ANSWER_MS = 10_000;
const LOOK_MS = 5;

/**
 * @param brokers `host:port` of each.
 * @param topic of a stopped server that has the samples.
 */
export async function fillTopic(
  brokers: readonly string[],
  topic: string,
  filling: Filling,
): Promise<Filled> {
  const logs = new EngineLogs(brokers);
  const from = performance.now();
  try {
    const log = await logs.open(logs.newPlace(topic));
    // What is looked for among the records has to be read first.
    const written = await log.newest(ANSWER_MS);
    while (log.statistics.read < written) await pause(LOOK_MS);
    const newest = await appendFilling(log, filling);
    return { newest, seconds: (performance.now() - from) / 1_000 };
  } finally {
    await logs.remove();
  }
}
