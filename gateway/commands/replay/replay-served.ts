/**
 * A replay as a server of its own: it serves, read-only, a log that grows as the player plays. The
 * log lies in a temporary directory, which goes with the process.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedEvent, ProposedEvent } from '../../../streams/event.ts';
import { appendPortions } from '../../../streams/replay/append-portions.ts';
import { RecordRewriter } from '../../../streams/replay/record-rewriter.ts';
import { openEmbeddedLog } from '../../server/log/open-log.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { untilWatched } from './audience.ts';
import type { Stage } from './replay.ts';
import { serveReadOnly, type ServeAddress } from '../serve/serve-read-only.ts';

export interface ServedStageOptions extends ServeAddress {
  /** Whether nothing is played before clients watch. */
  readonly waits: boolean;
}

/** @throws StartupError the address is of no use. */
export async function servedStage(
  { waits, ...address }: ServedStageOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'everwatch-replay-'));
  const opened = await openEmbeddedLog(folder);
  const close = async (): Promise<void> => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  };
  const rewriter = new RecordRewriter(`replay-${systemRandom.uuid()}`);
  let keepsVersions = true;

  const append = async (records: readonly LoggedEvent[]): Promise<void> => {
    const events = records.flatMap((record) => rewritten(rewriter, record, keepsVersions));
    for (const portion of appendPortions(events)) await opened.log.append(portion);
  };

  return {
    async begin(state, isWhole) {
      for await (const batch of state) await append(batch);
      keepsVersions = isWhole;
      if (!isWhole) say('the beginning is left out, so objects have versions of their own here');
    },
    async ready() {
      const running = await serveReadOnly({ ...opened, close }, address);
      if (!waits) return;
      say('waiting for clients that watch');
      await untilWatched(() => running.openWatches(), systemClock, signal);
    },
    take: append,
    end(_position, ended) {
      say('all is played; serving goes on until Ctrl-C');
      return new Promise((resolve) => {
        if (ended.aborted) resolve(0);
        else
          ended.addEventListener(
            'abort',
            () => {
              resolve(0);
            },
            { once: true },
          );
      });
    },
    close: () => Promise.resolve(),
  };
}

function rewritten(
  rewriter: RecordRewriter,
  record: LoggedEvent,
  keepsVersions: boolean,
): ProposedEvent[] {
  const events: ProposedEvent[] = [];
  while (keepsVersions && rewriter.next < record.resourceVersion) {
    events.push(rewriter.marker(record.time));
  }
  events.push(rewriter.change(record));
  return events;
}
