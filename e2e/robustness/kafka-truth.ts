/**
 * The log of a Kafka topic, read as any consumer would read it: keys, headers and values after
 * docs/event-format.md, and nothing of the server's own reader.
 */
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';

import { at, type JsonObject, type JsonValue, parseJson, textAt } from '../support/json.ts';
import type { LogRecord } from './log-truth.ts';
import { resourceOfStorage } from './seen-object.ts';
import { endOf } from './topic-echo.ts';

/** Every record that is there now, in order. */
export async function readTopic(
  brokers: readonly string[],
  topic: string,
  add: (record: LogRecord) => void,
): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const end = await endOf({ brokers, topic });
  const consumer = kafka.consumer({
    groupId: `truth-${String(process.pid)}-${String(Date.now())}`,
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const taken = (message: KafkaMessage): void => {
        add(recordOf(message));
        if (Number(message.offset) + 1 >= end) resolve();
      };
      const eachMessage = ({ message }: { message: KafkaMessage }): Promise<void> => {
        try {
          taken(message);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
      if (end === 0) resolve();
    });
  } finally {
    await consumer.disconnect();
  }
}

function recordOf({ key, value, headers, offset }: KafkaMessage): LogRecord {
  const header = (name: string): string => String(headers?.[name] ?? '');
  const [group = '', name = '', ...where] = String(key ?? '').split('/');
  const resource = `${group}/${name}`;
  const type = header('ce_type').split('.').at(-1) ?? '';
  const isMarker = type === 'marker' || resource === 'everwatch/marker';
  const isOurs = !isMarker && resourceOfStorage(resource) !== undefined;
  const requires = header('requires') === '' ? [] : parseJson(header('requires'));
  return {
    version: Number(offset) + 1,
    writer: header('writer'),
    sequence: Number(header('sequence')),
    type: isMarker ? 'marker' : type,
    resource,
    path: where.join('/'),
    previous: Number(header('previousResourceVersion')),
    requires: requirements(requires),
    auditID: header('auditID'),
    ...(isOurs ? { object: parseJson(String(value)) as JsonObject } : {}), // The log has objects.
  };
}

function requirements(value: JsonValue): [string, string, number][] {
  const tuples = Array.isArray(value) ? value : [];
  return tuples.map((one) => [textAt(one, 0), textAt(one, 1), Number(at(one, 2))]);
}
