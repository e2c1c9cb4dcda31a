/** An archive as an empty topic of Kafka. Its first record gets version 1, so only whole logs fit. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckedArchive } from '../../../streams/archive/archive-reader.ts';
import { parseServeOptions } from '../../flags/flags.ts';
import { openKafkaLog } from '../../server/log/open-kafka-log.ts';
import { openProgramLog } from '../../server/lifecycle/program-log.ts';
import { StartupError } from '../../process/startup-error.ts';
import { fillLog, type ImportProgress } from './import-log.ts';
import { InterruptedError } from '../tool/interruption.ts';

const NEWEST_TIMEOUT_MS = 30_000;

/** @throws StartupError the topic or the archive is not fit. */
export async function fillTopic(
  { path, checked }: { readonly path: string; readonly checked: CheckedArchive },
  { url, config }: { readonly url: string; readonly config: string | undefined },
  progress: ImportProgress,
): Promise<void> {
  const { from } = checked.header;
  if (from !== 1) {
    throw new StartupError(
      `a topic begins at version 1, and this archive at ${String(from)}: import it with --data-dir`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'everwatch-import-'));
  try {
    const flags = ['--log', url, '--data-dir', folder, '--log-level', 'error'];
    if (config !== undefined) flags.push('--config', config);
    const options = parseServeOptions(flags, (file) => readFileSync(file, 'utf8'));
    const { address } = options.log;
    if (address.engine !== 'kafka') throw new StartupError('--log: must be a kafka:// URL');
    const { logger } = openProgramLog(options.logging);
    const opened = await openKafkaLog({ options, address, logger });
    try {
      await fillIfEmpty(path, opened.log, { url, progress });
    } finally {
      await opened.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type OpenedLog = Awaited<ReturnType<typeof openKafkaLog>>['log'];

async function fillIfEmpty(
  path: string,
  log: OpenedLog,
  { url, progress }: { readonly url: string; readonly progress: ImportProgress },
): Promise<void> {
  const before = await log.newest(NEWEST_TIMEOUT_MS);
  if (before > 0) {
    throw new StartupError(`${url} is not empty: it has ${String(before)} records`);
  }
  try {
    await fillLog(path, log, progress);
  } catch (error) {
    const why = error instanceof InterruptedError ? 'interrupted' : String(error);
    throw new StartupError(
      `${why}; what was written to ${url} cannot be taken back: delete the topic and import again`,
      { cause: error },
    );
  }
}
