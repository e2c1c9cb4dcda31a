/**
 * The log in Kafka keeps the contract of every event log, on the oldest and the newest Kafka that
 * is supported.
 */
import { afterAll, beforeAll } from 'vitest';
import { durableLogContract } from '../../streams/event-log.contract.ts';
import { describeWith } from '../support/requirements.ts';
import type { KafkaCluster, KafkaVersion } from '../support/kafka-broker.ts';
import { EngineLogs } from '../../streams/kafka/engine-logs.fixture.ts';

const VERSIONS: readonly KafkaVersion[] = ['3.9.2', '4.4.0'];

for (const version of VERSIONS) {
  await describeWith('kafka', `Kafka ${version}`, (startKafka) => {
    let cluster: KafkaCluster | undefined;
    let logs: EngineLogs | undefined;

    beforeAll(async () => {
      cluster = await startKafka({ version });
      logs = new EngineLogs(cluster.bootstrap);
    });

    afterAll(async () => {
      await logs?.remove();
      await cluster?.stop();
    });

    durableLogContract('KafkaEventLog', async () => {
      if (logs === undefined) throw new Error('Kafka was not started');
      const place = logs.newPlace();
      const log = await logs.open(place);
      return {
        log,
        reopen: async () => {
          await log.close();
          return logs?.open(place) ?? log;
        },
      };
    });
  });
}
