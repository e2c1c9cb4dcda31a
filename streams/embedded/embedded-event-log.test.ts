import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it } from 'vitest';
import { DamagedRecordError } from '../event-codec.ts';
import { eventLogContract, proposedEvent } from '../event-log.contract.ts';
import { AppendOutcomeUnknownError } from '../event-log.ts';
import { resourceVersion } from '../resource-version.ts';
import { EmbeddedEventLog } from './embedded-event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-log-'));
let made = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

eventLogContract('EmbeddedEventLog', () => {
  made += 1;
  const path = join(folder, String(made));
  const log = new EmbeddedEventLog(path);
  return Promise.resolve({
    log,
    reopen: async () => {
      await log.close();
      return new EmbeddedEventLog(path);
    },
  });
});

describe('EmbeddedEventLog', () => {
  function newPath(): string {
    made += 1;
    return join(folder, String(made));
  }

  it('hands a waiting reader the events before their append is answered', async () => {
    const log = new EmbeddedEventLog(newPath());
    const order: string[] = [];
    const controller = new AbortController();
    const reader = log.read(resourceVersion(1), controller.signal)[Symbol.asyncIterator]();
    const read = reader.next().then((result) => {
      order.push('read');
      return result;
    });
    const event = proposedEvent(1);
    await log.append([event]).then(() => order.push('answered'));

    expect(order).toEqual(['read', 'answered']);
    const result = await read;
    expect(result.done === true ? undefined : result.value[0]?.json).toBe(event.json);
    controller.abort();
    await log.close();
  });

  it('names a record that was damaged or is missing, and still gives the others', async () => {
    const path = newPath();
    const log = new EmbeddedEventLog(path);
    await log.append([1, 2, 3, 4].map((n) => proposedEvent(n)));
    await log.close();
    const database = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    const frame = database.getBinary(2) ?? Buffer.alloc(0);
    frame.writeUInt8(frame.readUInt8(30) ^ 1, 30);
    await database.put(2, Buffer.from(frame));
    await database.remove(3);
    await database.close();

    const again = new EmbeddedEventLog(path);
    expect(again.at(resourceVersion(1))?.sequence).toBe(1);
    expect(() => again.at(resourceVersion(2))).toThrow(DamagedRecordError);
    expect(() => again.at(resourceVersion(3))).toThrow(/record at 3 is missing/);
    const { signal } = new AbortController();
    const reader = again.read(resourceVersion(1), signal)[Symbol.asyncIterator]();
    await expect(reader.next()).rejects.toThrow(/record at 2 cannot be read/);
    expect(again.at(resourceVersion(4))?.sequence).toBe(4);
    await again.close();
  });

  it('never replaces what somebody else has written', async () => {
    const path = newPath();
    const log = new EmbeddedEventLog(path);
    await log.append([proposedEvent(1)]);
    const intruder = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    await intruder.put(2, Buffer.from('mine'));

    await expect(log.append([proposedEvent(2)])).rejects.toThrow(AppendOutcomeUnknownError);
    await expect(log.append([proposedEvent(3)])).rejects.toThrow(/start again/);
    expect(intruder.getBinary(2)?.toString()).toBe('mine');
    await log.close();
    await intruder.close();
  });
});
