/** What each client does with each pod, and whether it comes out as it must. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../../support/eventually.ts';
import type { Going, StreamClient } from './clients.ts';
import type { StreamTarget } from './stream-targets.ts';

/** Throws where something is not as it must be. @returns false: the client has no such verb. */
export type Cell = (client: StreamClient, target: StreamTarget, echo: number) => Promise<boolean>;

const INPUT = 'typed text\n'.repeat(20_000);
const HASH = createHash('sha256').update(INPUT).digest('hex');

function must(isSo: boolean, what: () => string): void {
  if (!isSo) throw new Error(what().slice(0, 500));
}

async function untilSaid(going: Going, text: string, { goOn }: StreamTarget): Promise<void> {
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
  async logs(client, target) {
    const log = await client.log(target);
    must(log.includes(target.log), () => log);
    return true;
  },

  async 'logs -f'(client, target) {
    await untilSaid(await client.follow(target), target.followed, target);
    return true;
  },

  /** Much input, output and errors apart, and a code. The input has no end where a client cannot tell it. */
  async exec(client, target) {
    const script = `head -c ${String(INPUT.length)} | sha256sum; echo problem >&2; exit 3`;
    const { code, stdout, stderr } = await client.exec(target, ['sh', '-c', script], INPUT);
    const said = (): string => `${String(code)} ${stdout} ${stderr}`;
    must(
      code === target.exitCode && stdout === `${HASH}  -\n` && stderr.includes('problem\n'),
      said,
    );
    const much = await client.exec(target, ['head', '-c', '1000000', '/dev/zero'], '');
    must(much.code === 0 && much.stdout.length === 1_000_000, () => {
      return `${String(much.code)} ${String(much.stdout.length)} ${much.stderr}`;
    });
    return true;
  },

  async attach(client, target) {
    const going = await client.attach(target, 'typed\n');
    await untilSaid(going, target.echoes ? `${target.attached}typed\n` : target.attached, target);
    return true;
  },

  async 'port-forward'(client, target, echo) {
    const echoes = await client.forward(target, echo, INPUT);
    must(echoes.length === 3 && echoes.every((one) => one === INPUT), () => 'other echoes');
    return true;
  },

  async cp(client, target) {
    if (client.copy === undefined || !target.endsInput) return false;
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-cp-'));
    try {
      const [from, there, back] = [
        join(folder, 'from'),
        join(folder, 'there'),
        join(folder, 'back'),
      ];
      writeFileSync(from, INPUT);
      await client.copy(target, from, there, true);
      must(readFileSync(there, 'utf8') === INPUT, () => 'another file in the pod');
      await client.copy(target, there, back, false);
      must(readFileSync(back, 'utf8') === INPUT, () => 'another file here');
      return true;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
