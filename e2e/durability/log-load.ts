/** The load of the durability tests: each event tells by itself what must be around it. */
import type { LoggedEvent, ProposedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';

/** The events of one append. */
export function batchOf(writer: string, firstSequence: number, size: number): ProposedEvent[] {
  return Array.from({ length: size }, (_, index) => {
    const sequence = firstSequence + index;
    return {
      writer,
      sequence,
      type: 'added',
      resource: 'core/configmaps',
      path: `default/object-${String(sequence)}`,
      previousResourceVersion: resourceVersion(0),
      requires: [],
      json: bodyOf(writer, sequence),
      time: sequence,
      uid: `${writer}-${String(sequence)}`,
      user: 'load',
      verb: 'create',
      auditID: `${String(index)} of ${String(size)}`,
      fieldManager: 'load',
    };
  });
}

/** What is wrong with these events, which begin where an append began; '' when nothing is. */
export function faultIn(events: readonly LoggedEvent[]): string {
  let left = 0;
  let last: LoggedEvent | undefined;
  for (const event of events) {
    const at = `version ${String(event.resourceVersion)}`;
    const [index, size] = event.auditID.split(' of ').map(Number);
    if (left === 0 && index !== 0) return `${at}: an append begins with its event ${String(index)}`;
    if (left > 0 && !follows(event, last)) return `${at}: an append was torn`;
    if (!bodyOf(event.writer, event.sequence).equals(event.json)) return `${at}: other bytes`;
    left = left === 0 ? Number(size) - 1 : left - 1;
    last = event;
  }
  return left === 0 ? '' : `the last append lacks ${String(left)} events`;
}

function follows(event: LoggedEvent, last: LoggedEvent | undefined): boolean {
  return event.writer === last?.writer && event.sequence === last.sequence + 1;
}

/** 0.1 to 3 KB, now and then 100 KB. */
function bodyOf(writer: string, sequence: number): Buffer {
  const random = chanceFrom(sequence + writer.length);
  const size = random() < 0.01 ? 100_000 : 100 + Math.floor(random() * 2_900);
  return Buffer.alloc(size, `${writer} ${String(sequence)} `);
}
