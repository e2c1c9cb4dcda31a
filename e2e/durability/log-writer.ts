/**
 * A process that appends as fast as the log takes it, and tells every append that was
 * acknowledged, until it is killed:
 *
 *     ready NEWEST
 *     appended FIRST WRITER SEQUENCE SIZE
 *     failed NAME-OF-THE-ERROR
 */
import { writeSync } from 'node:fs';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';
import { batchOf } from './log-load.ts';

const [path = '', seedText = '', appendsMaxText = 'Infinity'] = process.argv.slice(2);
const writer = `writer-${seedText}`;
const random = chanceFrom(Number(seedText));
const CONCURRENT = 4;

let sequence = 0;
let left = Number(appendsMaxText);

/** To a pipe this is done when it returns, so what was told was told, whatever comes next. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

async function appendOn(log: EmbeddedEventLog): Promise<void> {
  while (left > 0) {
    left -= 1;
    const size = 1 + Math.floor(random() ** 3 * 60);
    const events = batchOf(writer, sequence, size);
    const firstSequence = sequence;
    sequence += size;
    try {
      const first = await log.append(events);
      tell(`appended ${String(first)} ${writer} ${String(firstSequence)} ${String(size)}`);
    } catch (error) {
      tell(`failed ${error instanceof Error ? error.name : String(error)}`);
      left = 0;
    }
  }
}

// Every other process opens the file anew behind each write, which else takes some thousand of them.
const mappedBytesMax = process.pid % 2 === 0 ? 0 : Infinity;
const log = new EmbeddedEventLog(path, { mappedBytesMax });
tell(`ready ${String(await log.newest())}`);
await Promise.all(Array.from({ length: CONCURRENT }, () => appendOn(log)));
await log.close();
tell('closed');
