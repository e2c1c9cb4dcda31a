/** A log that takes several appends of one writer at a time, and writes none behind one that failed. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { Arbiter } from '../../../projections/fold/arbiter.ts';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../../../streams/event-log.ts';
import {
  type CommittedEvent,
  isChange,
  type LoggedEvent,
  type ProposedEvent,
} from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { testFaults } from '../../request/given.fixture.ts';
import { Committer } from './committer.ts';
import { untilGathered } from './gathering.ts';
import {
  apply,
  change,
  givenLog,
  logged,
  propose,
  random,
  turn,
} from './given-committer.fixture.ts';

const passing = () => new LogUnavailableError('the disk is full', { isPassing: true });

/** Two appends are under way, with a change each, and a third change waits. */
async function givenTwo() {
  const scene = givenLog({ appendsUnderWay: 2 });
  const commits: string[] = [];
  for (const path of ['a/1', 'a/2', 'a/3']) {
    propose(scene.committer, change(path, '{}', 60_000), ({ kind }) => {
      commits.push(`${path} ${kind}`);
    });
    await turn();
  }
  return { ...scene, commits };
}

function pathsOf(batches: readonly (readonly ProposedEvent[])[]): string[][] {
  return batches.map((batch) => batch.map(({ path }) => path));
}

describe('appends under way', () => {
  it('are gathered as long as each turn of the event loop brings more', async () => {
    const { committer, batches } = givenLog({ appendsUnderWay: 2 });
    let proposed = 0;
    const proposeNext = (): void => {
      // In front of the committer's own look.
      if (proposed < 5) setImmediate(proposeNext);
      proposed += 1;
      propose(committer, change(`a/${String(proposed)}`), () => undefined);
    };
    proposeNext();
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect(batches.map(({ length }) => length)).toEqual([6]);
  });

  it('are gathered no longer than two milliseconds', async () => {
    const clock = new ManualClock();
    let count = 1;
    const add = (): void => {
      if (count < 50) setImmediate(add);
      count += 1;
      clock.advance(1);
    };
    setImmediate(add);
    await untilGathered(() => count, clock);
    expect(count).toBe(3);
  });

  it('are as many as the log takes, and what is proposed meanwhile is the next', async () => {
    const { committer, batches, ends } = await givenTwo();
    propose(committer, change('a/4'), () => undefined);
    await turn();
    expect(pathsOf(batches)).toEqual([['a/1'], ['a/2']]);
    ends[0]?.resolve();
    await turn();
    expect(pathsOf(batches)).toEqual([['a/1'], ['a/2'], ['a/3', 'a/4']]);
    ends[1]?.resolve();
    ends[2]?.resolve();
    await turn();
    expect(committer.state).toBe('resting');
  });

  it('are sent again in their order, and nothing before the last of them has failed', async () => {
    const { clock, batches, ends, commits } = await givenTwo();
    ends[0]?.reject(passing());
    await turn();
    clock.advance(1_000);
    await turn();
    expect(batches).toHaveLength(2);
    ends[1]?.reject(passing());
    await turn();
    clock.advance(100);
    await turn();
    expect(pathsOf(batches)).toEqual([['a/1'], ['a/2'], ['a/1'], ['a/2']]);
    ends[2]?.resolve();
    ends[3]?.resolve();
    await turn();
    expect(pathsOf(batches.slice(4))).toEqual([['a/3']]);
    expect(commits).toEqual([]);
  });

  it('are refused together with what waits, where the first is for good', async () => {
    const { committer, ends, commits } = await givenTwo();
    ends[0]?.reject(new LogUnavailableError('closed'));
    ends[1]?.reject(new LogUnavailableError('closed'));
    await turn();
    expect(commits).toEqual(['a/1 unavailable', 'a/2 unavailable', 'a/3 unavailable']);
    expect(committer.state).toBe('resting');
  });

  it('keep only those waiting whose event may be there', async () => {
    const { committer, clock, batches, ends, commits } = await givenTwo();
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    ends[1]?.reject(passing());
    await turn();
    expect(commits).toEqual([]);
    clock.advance(100);
    await turn();
    for (const end of ends.slice(2)) end.reject(new LogUnavailableError('closed'));
    await turn();
    expect(commits).toEqual(['a/2 unavailable', 'a/3 unavailable']);
    clock.advance(100);
    await turn();
    expect(pathsOf(batches.slice(4))).toEqual([['a/1']]);
    ends[4]?.resolve();
    apply(committer, logged(batches[4]?.[0], 7));
    await turn();
    expect([committer.state, commits.at(-1)]).toEqual(['resting', 'a/1 overtaken']);
  });

  it('lose and double nothing, whatever becomes of each attempt', async () => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= 200; seed += 1) {
      const { answers, effective, isInOrder } = await runOf(seed);
      expect({ seed, isInOrder, answers: answers.size }).toEqual({
        seed,
        isInOrder: true,
        answers: CHANGES,
      });
      for (const [path, kind] of answers) {
        ends.add(kind);
        const isThere = effective.includes(path);
        if (kind === 'committed') expect([seed, path, isThere]).toEqual([seed, path, true]);
        else expect([seed, path, kind, isThere]).toEqual([seed, path, 'unavailable', false]);
      }
      expect(effective).toHaveLength(new Set(effective).size);
    }
    expect([...ends].sort()).toEqual(['committed', 'unavailable']);
  });
});

const CHANGES = 40;
const SLOTS = 3;

/** Numbers from 0 to 1, the same for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** A log that keeps its word, and else does what chance says. */
class WilfulLog {
  readonly appendsUnderWay = SLOTS;
  readonly records: ProposedEvent[] = [];
  readonly #chance: () => number;
  #underWay: {
    readonly events: readonly ProposedEvent[];
    readonly resolve: (first: ResourceVersion) => void;
    readonly reject: (error: Error) => void;
  }[] = [];

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return new Promise((resolve, reject) => {
      this.#underWay.push({ events, resolve, reject });
      expect(this.#underWay.length).toBeLessThanOrEqual(SLOTS);
    });
  }

  /** Decides on the append in front; tells what was written. */
  step(): readonly ProposedEvent[] {
    const [front, ...behind] = this.#underWay;
    if (front === undefined) return [];
    this.#underWay = behind;
    const chance = this.#chance();
    const first = resourceVersion(this.records.length + 1);
    const isWritten = chance < 0.6;
    if (isWritten) this.records.push(...front.events);
    if (chance < 0.5) {
      front.resolve(first);
      return front.events;
    }
    if (chance < 0.7) front.reject(new AppendOutcomeUnknownError('no answer'));
    else if (chance < 0.95) front.reject(passing());
    else front.reject(new LogUnavailableError('closed for a moment'));
    for (const { reject } of behind) reject(passing());
    this.#underWay = [];
    return isWritten ? front.events : [];
  }
}

async function runOf(seed: number) {
  const chance = chanceOf(seed);
  const log = new WilfulLog(chance);
  const clock = new ManualClock();
  const committer = new Committer({ log, clock, random, faults: testFaults() });
  const arbiter = new Arbiter(new Map(), {
    versionOf: () => resourceVersion(0),
    isUnchangedUnder: () => true,
  });
  const answers = new Map<string, string>();
  const effective: string[] = [];
  const sequences: number[] = [];
  let version = 0;
  for (let left = CHANGES, idle = 0; idle < 3;) {
    for (let now = Math.floor(chance() * 4); now > 0 && left > 0; now -= 1) {
      left -= 1;
      const path = `a/${String(left)}`;
      propose(committer, change(path, '{}', Infinity), ({ kind }) => {
        expect(answers.has(path)).toBe(false);
        answers.set(path, kind);
      });
      if (chance() < 0.5) await turn();
    }
    await turn();
    for (const event of log.step()) {
      version += 1;
      const at = logged(event, version);
      const verdict = arbiter.judge(at);
      if (verdict === 'effective') {
        effective.push(event.path);
        sequences.push(event.sequence);
      }
      committer.folded(at, verdict, verdict === 'effective' ? committedOf(at) : undefined);
    }
    await turn();
    clock.advance(100);
    await turn();
    idle = left === 0 && committer.state === 'resting' ? idle + 1 : 0;
  }
  const isInOrder = sequences.every((one, at) => at === 0 || one > (sequences[at - 1] ?? 0));
  return { answers, effective, isInOrder };
}

function committedOf(event: LoggedEvent): CommittedEvent | undefined {
  if (!isChange(event)) return undefined;
  const { resource, path, resourceVersion: version, type } = event;
  const object = {
    resource,
    path,
    resourceVersion: version,
    labels: undefined,
    json: Buffer.from('{}'),
  };
  return { resourceVersion: version, type, resource, path, object, previous: undefined };
}
