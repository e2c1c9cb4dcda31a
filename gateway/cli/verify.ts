/** `everwatch verify`: is the local store what the log says? For a data directory nobody serves. */
import { verifyStore } from '../../projections/verification.ts';
import { openGallery } from './open-gallery.ts';
import { openEmbeddedLog } from './open-log.ts';
import { systemClock } from './system-clock.ts';

export interface VerifyOptions {
  readonly dataDir: string;
}

/** Prints what it found. @returns whether the store agrees with the log. */
export async function verify({ dataDir }: VerifyOptions): Promise<boolean> {
  const opened = await openGallery(await openEmbeddedLog(dataDir), systemClock);
  try {
    const found = await verifyStore(opened.log, opened.store);
    const { events, effective, notApplied, objects, hash, differences } = found;
    const lines = [
      `events in the log   ${String(events)} (${String(effective)} took effect)`,
      `not yet applied     ${String(notApplied)}`,
      `objects             ${String(objects)}`,
      `state               sha256:${hash}`,
      differences.length === 0 ? 'the store agrees with the log' : 'the store does NOT agree:',
      ...differences,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    return differences.length === 0;
  } finally {
    await opened.close();
  }
}
