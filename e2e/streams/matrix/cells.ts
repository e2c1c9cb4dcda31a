/** What each client does with each pod, and whether it comes out as it must. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../../support/eventually.ts';
import type { Going, StreamClient } from './clients.ts';
import type { Place } from './places.ts';

/** Throws where something is not as it must be. @returns false: the client has no such verb. */
export type Cell = (client: StreamClient, place: Place, echo: number) => Promise<boolean>;

const INPUT = 'typed text\n'.repeat(20_000);
const HASH = createHash('sha256').update(INPUT).digest('hex');

function must(isSo: boolean, what: () => string): void {
  if (!isSo) throw new Error(what().slice(0, 500));
}

async function untilSaid(going: Going, text: string, { goOn }: Place): Promise<void> {
  try {
    await eventually(
      () => `${text}; it said: ${going.said().slice(0, 300)}`,
      () => {
        if (going.said().includes(text)) return true;
        goOn();
        return undefined;
      },
      { everyMs: 50 },
    );
  } finally {
    await going.end();
  }
}

/** By verb, in the order in which the matrix shows them. */
export const CELLS: Readonly<Record<string, Cell>> = {
  async logs(client, place) {
    const log = await client.log(place);
    must(log.includes(place.log), () => log);
    return true;
  },

  async 'logs -f'(client, place) {
    await untilSaid(await client.follow(place), place.followed, place);
    return true;
  },

  /** Much input, output and errors apart, and a code. The input has no end where a client cannot tell it. */
  async exec(client, place) {
    const script = `head -c ${String(INPUT.length)} | sha256sum; echo problem >&2; exit 3`;
    const { code, stdout, stderr } = await client.exec(place, ['sh', '-c', script], INPUT);
    const said = (): string => `${String(code)} ${stdout} ${stderr}`;
    must(
      code === place.exitCode && stdout === `${HASH}  -\n` && stderr.includes('problem\n'),
      said,
    );
    const much = await client.exec(place, ['head', '-c', '1000000', '/dev/zero'], '');
    must(much.code === 0 && much.stdout.length === 1_000_000, () => {
      return `${String(much.code)} ${String(much.stdout.length)} ${much.stderr}`;
    });
    return true;
  },

  async attach(client, place) {
    const going = await client.attach(place, 'typed\n');
    await untilSaid(going, place.echoes ? `${place.attached}typed\n` : place.attached, place);
    return true;
  },

  async 'port-forward'(client, place, echo) {
    const echoes = await client.forward(place, echo, INPUT);
    must(echoes.length === 3 && echoes.every((one) => one === INPUT), () => 'other echoes');
    return true;
  },

  async cp(client, place) {
    if (client.copy === undefined || !place.endsInput) return false;
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-cp-'));
    try {
      const [from, there, back] = [
        join(folder, 'from'),
        join(folder, 'there'),
        join(folder, 'back'),
      ];
      writeFileSync(from, INPUT);
      await client.copy(place, from, there, true);
      must(readFileSync(there, 'utf8') === INPUT, () => 'another file in the pod');
      await client.copy(place, there, back, false);
      must(readFileSync(back, 'utf8') === INPUT, () => 'another file here');
      return true;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
