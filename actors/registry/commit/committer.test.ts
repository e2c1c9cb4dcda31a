import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { testFaults } from '../../request/given.fixture.ts';
import {
  APPEND_BYTES_MAX,
  AppendOutcomeUnknownError,
  LogUnavailableError,
  type EventLog,
} from '../../../streams/event-log.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { Committer, type Commit } from './committer.ts';
import {
  random,
  change,
  givenLog,
  propose,
  apply,
  turn,
  logged,
} from './given-committer.fixture.ts';

const MEGABYTE = 1024 * 1024;

describe('the committer', () => {
  it('gathers what arrives while an append is under way', async () => {
    const { committer, batches, ends } = givenLog();
    propose(committer, change('a/1'), () => undefined);
    await turn();
    propose(committer, change('a/2'), () => undefined);
    propose(committer, change('a/3'), () => undefined);
    await turn();
    expect(batches.map((batch) => batch.length)).toEqual([1]);
    expect(committer.appendedTo).toBe(0);

    ends[0]?.resolve();
    await turn();
    expect(committer.appendedTo).toBe(1);
    expect(batches.map((batch) => batch.map(({ path }) => path))).toEqual([
      ['a/1'],
      ['a/2', 'a/3'],
    ]);
  });

  it('appends no more at once than one append may have, and not less than one event', async () => {
    const { committer, batches, ends } = givenLog();
    for (let one = 0; one < 20; one += 1) {
      propose(committer, change(`a/${String(one)}`, 'x'.repeat(MEGABYTE)), () => undefined);
    }
    for (let batch = 0; batch < 3; batch += 1) {
      await turn();
      ends[batch]?.resolve();
    }
    await turn();
    expect(batches.map(({ length }) => length)).toEqual([7, 7, 6]);
    const bytes = batches.map((batch) => batch.reduce((sum, { json }) => sum + json.length, 0));
    expect(Math.max(...bytes)).toBeLessThan(APPEND_BYTES_MAX);
  });

  it('refuses what would wait beyond 64 MiB, and takes it when there is room again', async () => {
    const { committer, batches, ends } = givenLog();
    const commits: Commit[] = [];
    const commit = (path: string) => {
      propose(committer, change(path, 'x'.repeat(MEGABYTE)), (one) => commits.push(one));
    };
    commit('a/first');
    await turn();
    for (let round = 0; round < 3; round += 1) {
      for (let one = 0; one < 63; one += 1) commit(`a/${String(one)}`);
      expect(commits).toEqual([]);
      commit('a/beyond');
      expect(commits.splice(0)).toEqual([{ kind: 'overloaded' }]);
      const waiting = 63 + batches.flat().length;
      while (batches.flat().length < waiting) {
        ends.at(-1)?.resolve();
        await turn();
      }
    }
  });

  it('has room again when the log has refused all that waited', async () => {
    const { committer, ends } = givenLog();
    const commits: Commit[] = [];
    const commit = () => {
      propose(committer, change('a/1', 'x'.repeat(MEGABYTE)), (one) => commits.push(one));
    };
    commit();
    await turn();
    for (let one = 0; one < 63; one += 1) commit();
    ends[0]?.reject(new LogUnavailableError('refused until restart'));
    await turn();
    expect(new Set(commits.splice(0).map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
    for (let one = 0; one < 63; one += 1) commit();
    expect(commits).toEqual([]);
  });

  it('answers from the fold and not from the acknowledgement', async () => {
    const { committer, batches, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1'), (commit) => commits.push(commit));
    await turn();
    ends[0]?.resolve();
    await turn();
    expect(commits).toEqual([]);

    apply(committer, logged(batches[0]?.[0], 7));
    expect(commits).toEqual([{ kind: 'overtaken' }]);
  });

  it('pays no heed to events of other writers and to second copies', async () => {
    const { committer, batches } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1'), (commit) => commits.push(commit));
    await turn();
    const event = logged(batches[0]?.[0], 7);

    committer.folded({ ...event, writer: 'another' }, 'overtaken', undefined);
    committer.folded(event, 'duplicate', undefined);
    expect(commits).toEqual([]);
  });

  it('sends an append of unknown outcome again, with the same identity', async () => {
    const { committer, clock, batches, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1'), (commit) => commits.push(commit));
    await turn();
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    clock.advance(100);
    await turn();

    expect(batches).toHaveLength(2);
    expect(batches[1]).toEqual(batches[0]);
    expect(commits).toEqual([]);
  });

  it('answers `unknown` when nothing was heard by the deadline', async () => {
    const { committer, clock, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1', '{}', 50), (commit) => commits.push(commit));
    await turn();
    clock.advance(60);
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();

    expect(commits).toEqual([{ kind: 'unknown' }]);
  });

  it('does not say that nothing was written when only the second copy was refused', async () => {
    const { committer, clock, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1', '{}', 150), (commit) => commits.push(commit));
    await turn();
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    clock.advance(100);
    await turn();
    ends[1]?.reject(new LogUnavailableError('refused until restart'));
    await turn();
    expect(commits).toEqual([]);
    clock.advance(100);
    await turn();
    ends[2]?.reject(new LogUnavailableError('refused until restart'));
    await turn();

    expect(commits).toEqual([{ kind: 'unknown' }]);
  });

  it('answers `unavailable` when nothing was written, and takes the next', async () => {
    const { committer, batches, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1'), (commit) => commits.push(commit));
    await turn();
    ends[0]?.reject(new LogUnavailableError('disk full'));
    await turn();
    expect(commits).toEqual([{ kind: 'unavailable' }]);

    propose(committer, change('a/2'), (commit) => commits.push(commit));
    await turn();
    expect(batches).toHaveLength(2);
  });

  it('refuses what would not fit into memory', async () => {
    const { committer } = givenLog();
    const commits: Commit[] = [];
    const big = 'x'.repeat(3 * 1024 * 1024);
    for (let index = 0; index < 40; index += 1) {
      propose(committer, change(`a/${String(index)}`, big), (commit) => commits.push(commit));
    }
    await turn();

    expect(commits.length).toBeGreaterThan(0);
    expect(new Set(commits.map(({ kind }) => kind))).toEqual(new Set(['overloaded']));
  });

  it('refuses what the log would not take, and no other write meanwhile', async () => {
    const batches: (readonly ProposedEvent[])[] = [];
    const log: Pick<EventLog, 'append' | 'refusal'> = {
      append: (events) => {
        batches.push(events);
        return Promise.resolve(resourceVersion(1));
      },
      refusal: ({ resource }) => (resource === 'core/secrets' ? 'its keys expired' : undefined),
    };
    const committer = new Committer({
      log,
      clock: new ManualClock(),
      random,
      faults: testFaults(),
    });
    const commits: Commit[] = [];
    const done = (commit: Commit) => commits.push(commit);
    propose(committer, change('a/1'), done);
    propose(committer, { ...change('a/2'), resource: 'core/secrets' }, done);
    propose(committer, change('a/3'), done);
    await turn();

    expect(batches.flat().map(({ path }) => path)).toEqual(['a/1', 'a/3']);
    expect(commits).toEqual([{ kind: 'refused', why: 'its keys expired' }]);
  });

  it('is idle when everything was answered', async () => {
    const { committer, batches, ends } = givenLog();
    let idle = false;
    propose(committer, change('a/1'), () => undefined);
    void committer.idle().then(() => {
      idle = true;
    });
    await turn();
    ends[0]?.resolve();
    await turn();
    expect(idle).toBe(false);

    apply(committer, logged(batches[0]?.[0], 1));
    await turn();
    expect(idle).toBe(true);
  });
});

/** That no committer has sent. */
const OTHER = { batch: [], giveUpAt: 0, mayBeThere: false, failure: undefined };

describe('the states of the committer', () => {
  it('follow its messages, and messages that come in another state change nothing', async () => {
    const { committer, clock, batches, ends } = givenLog();
    const states: string[] = [committer.state];
    const note = () => states.push(committer.state);
    propose(committer, change('a/1'), () => undefined);
    note();
    committer.send({ type: 'resendDue' });
    await turn();
    note();
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    note();
    committer.send({ type: 'appended', append: OTHER, first: resourceVersion(9) });
    expect([committer.state, committer.appendedTo]).toEqual(['pausing', 0]);
    clock.advance(100);
    note();
    committer.send({ type: 'resendDue' });
    expect(batches).toHaveLength(2);
    ends[1]?.resolve();
    await turn();
    note();
    committer.send({ type: 'appendFailed', append: OTHER, error: new Error('late') });
    expect([committer.state, committer.trouble]).toEqual(['resting', undefined]);
    expect(states).toEqual([
      'resting',
      'gathering',
      'appending',
      'pausing',
      'appending',
      'resting',
    ]);
  });

  it('go on behind a fault, of which the writer is told', async () => {
    const log = {
      append: () => Promise.resolve(resourceVersion(1)),
      refusal: ({ resource }: { readonly resource: string }): string | undefined => {
        if (resource === 'odd/things') throw new Error('a bug');
        return undefined;
      },
    };
    const faults = testFaults();
    const committer = new Committer({ log, clock: new ManualClock(), random, faults });
    const commits: Commit[] = [];
    propose(committer, { ...change('a/1'), resource: 'odd/things' }, (commit) =>
      commits.push(commit),
    );
    expect(commits).toEqual([{ kind: 'refused', why: 'Error: a bug' }]);
    propose(committer, change('a/1'), () => undefined);
    await turn();
    expect([committer.state, committer.appendedTo]).toEqual(['resting', 1]);
  });
});
