/** Random watches beside a random history of writes: all servers have to tell the same events in the same order. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Chance } from '../../robustness/chance.ts';
import { type AdminClient, adminClient } from '../../support/admin-client.ts';
import { shown, told } from './answers.ts';
import {
  type OpenWatch,
  openWatch,
  type RandomWatch,
  versionOf,
  watchOf,
} from './random-watches.ts';
import { stepOf } from './steps.ts';
import { type History, prepared, removed, startedOurs, startedTheirs } from './walk.ts';
import { WALKED_KINDS, type WalkedKind } from './walked-kinds.ts';

/** A part of a history is about a few kinds, so that a watch has something to tell. */
const PART_STEPS = 100;
const KINDS_OF_A_PART = 3;
const SHARE_OF_WATCHES = 0.25;
const EVERY_MS = 20;

/** A watch on each server that is walked. */
export interface ToldWatch {
  readonly part: number;
  readonly watch: RandomWatch;
  /** What each server told, a text for each event behind one for the answer. */
  readonly texts: readonly (readonly string[])[];
}

export interface WalkedWatches {
  readonly watches: readonly ToldWatch[];
  /** Requests that were answered otherwise, which the walk of requests is for: watches may differ for them. */
  readonly answeredOtherwise: readonly string[];
}

/**
 * @param isSettled whether all that is to come has come, of what each server has told to the nth watch, in which part.
 * @throws where a server does not start.
 */
export async function walkWatches(
  which: readonly ('ours' | 'theirs')[],
  { seed, steps }: History,
  isSettled: (texts: ToldWatch['texts'], nth: number, part: number) => boolean,
): Promise<WalkedWatches> {
  const servers = await Promise.all(
    which.map((one) => (one === 'ours' ? startedOurs() : startedTheirs())),
  );
  const sides = servers.map((server): Side => ({ client: adminClient(server), then: '' }));
  const watches: ToldWatch[] = [];
  const answeredOtherwise: string[] = [];
  try {
    await Promise.all(sides.map(({ client }) => prepared(client)));
    for (let part = 0; part * PART_STEPS < steps; part += 1) {
      for (const { watch, open } of await partOf(seed, part, sides, answeredOtherwise)) {
        const nth = watches.length;
        const texts = await settled(open, (seen) => isSettled(seen, nth, part));
        watches.push({ part, watch, texts });
      }
    }
  } finally {
    for (const { client } of sides) client.close();
    await Promise.all(servers.map((server) => server.stop()));
  }
  return { watches, answeredOtherwise };
}

interface Side {
  readonly client: AdminClient;
  /** The resourceVersion of the beginning of the part. */
  then: string;
}

interface OpenEverywhere {
  readonly watch: RandomWatch;
  readonly open: readonly OpenWatch[];
}

async function partOf(
  seed: number,
  part: number,
  sides: readonly Side[],
  answeredOtherwise: string[],
): Promise<OpenEverywhere[]> {
  const kinds = kindsOf(new Chance(seed, 'kinds', part));
  await Promise.all(sides.map(begun));
  const watches: OpenEverywhere[] = [];
  for (let nth = 0; nth < PART_STEPS; nth += 1) {
    const chance = new Chance(seed, 'watch', part, nth);
    if (chance.happens(SHARE_OF_WATCHES)) {
      const watch = watchOf(chance, kinds);
      const open = sides.map(({ client, then }) => openWatch(client, watch, then));
      watches.push({ watch, open: await Promise.all(open) });
    }
    const step = stepOf(new Chance(seed, 'step', part, nth), kinds);
    // Objects whose names a server chooses stand in another order on each.
    if (step.body?.includes('generateName') === true) continue;
    const answers = await Promise.all(
      sides.map(async ({ client }) => shown(await told(client, step))),
    );
    if (new Set(answers).size === 1) continue;
    answeredOtherwise.push([JSON.stringify(step), ...answers].join('\n  '));
    await Promise.all(sides.map(({ client }) => removed(client, step.object)));
  }
  return watches;
}

function kindsOf(chance: Chance): WalkedKind[] {
  return Array.from({ length: KINDS_OF_A_PART }, () => chance.oneOf(WALKED_KINDS));
}

async function begun(side: Side): Promise<void> {
  side.then = await versionOf(side.client, '/api/v1/namespaces');
}

async function settled(
  open: readonly OpenWatch[],
  isSettled: (texts: readonly (readonly string[])[]) => boolean,
): Promise<(readonly string[])[]> {
  for (;;) {
    const texts = open.map((one) => one.shown());
    if (isSettled(texts)) {
      for (const one of open) one.close();
      return texts;
    }
    await sleep(EVERY_MS);
  }
}

/** Whether a value has been the same for so long. A limit for what still comes, and no measure of what has. */
export function restsFor(ms: number): (value: string) => boolean {
  let last: string | undefined;
  let since = 0;
  return (value) => {
    if (value !== last) since = Date.now();
    last = value;
    return Date.now() - since >= ms;
  };
}
