import { describe, expect, it } from 'vitest';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../../../streams/event-log.ts';
import type { WriteMeters } from '../storage-meters.ts';
import { type Commit } from './committer.ts';
import {
  change,
  givenLog,
  propose,
  askMoment,
  apply,
  turn,
  logged,
} from './given-committer.fixture.ts';

describe('the moment of a read', () => {
  it('is a marker that all that wait share, or whatever is appended next', async () => {
    const { committer, batches, ends } = givenLog();
    const reached: (number | undefined)[] = [];
    for (let reader = 0; reader < 3; reader += 1) askMoment(committer, (at) => reached.push(at));
    await turn();
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['marker']]);

    // One append is under way, which began before these asked: they wait for the next.
    askMoment(committer, (at) => reached.push(at));
    propose(committer, change('a/1'), () => undefined);
    askMoment(committer, (at) => reached.push(at));
    ends[0]?.resolve();
    apply(committer, logged(batches[0]?.[0], 5));
    await turn();
    expect(reached).toEqual([5, 5, 5]);
    expect(batches[1]?.map(({ type }) => type)).toEqual(['marker', 'added']);

    apply(committer, logged(batches[1]?.[0], 6));
    apply(committer, logged(batches[1]?.[1], 7));
    expect(reached).toEqual([5, 5, 5, 6, 7]);
    expect(committer.markerCount).toBe(2);
  });

  it('is not told by the acknowledgement, nor by a second copy', async () => {
    const { committer, batches, ends } = givenLog();
    const reached: (number | undefined)[] = [];
    askMoment(committer, (at) => reached.push(at));
    await turn();
    ends[0]?.resolve();
    await turn();
    committer.folded(logged(batches[0]?.[0], 5), 'duplicate', undefined);
    expect(reached).toEqual([]);
  });

  it('is unknown when the log takes no record', async () => {
    const { committer, clock, ends } = givenLog();
    const reached: (number | undefined)[] = [];
    askMoment(committer, (at) => reached.push(at));
    await turn();
    ends[0]?.reject(new LogUnavailableError('no leader'));
    await turn();
    expect(reached).toEqual([undefined]);

    askMoment(committer, (at) => reached.push(at));
    await turn();
    ends[1]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    clock.advance(20_000);
    await turn();
    ends[2]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    expect(reached).toEqual([undefined, undefined]);
  });
});

describe('a log that is away', () => {
  const passing = () => new LogUnavailableError('a leader is being elected', { isPassing: true });

  it('for a moment is waited for, and no client is told', async () => {
    const { committer, clock, batches, ends } = givenLog();
    const commits: Commit[] = [];
    propose(committer, change('a/1', '{}', 60_000), (commit) => commits.push(commit));
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await turn();
      ends[attempt]?.reject(passing());
      await turn();
      clock.advance(100);
    }
    await turn();
    expect(batches).toHaveLength(21);
    expect(commits).toEqual([]);
    ends[20]?.resolve();
    committer.folded(logged(batches[20]?.[0], 3), 'overtaken', undefined);
    expect(commits).toEqual([{ kind: 'overtaken' }]);
  });

  it('for long is told to the requests that wait, since nothing was written', async () => {
    const { committer, clock, ends } = givenLog();
    const commits: string[] = [];
    propose(committer, change('a/1', '{}', 60_000), ({ kind }) => commits.push(`1 ${kind}`));
    await turn();
    propose(committer, change('a/2', '{}', 60_000), ({ kind }) => commits.push(`2 ${kind}`));
    clock.advance(8_000);
    ends[0]?.reject(passing());
    await turn();
    expect(commits).toEqual(['1 unavailable', '2 unavailable']);
  });

  it('is waited for by those of a batch that still may', async () => {
    const { committer, clock, batches, ends } = givenLog();
    const commits: string[] = [];
    propose(committer, change('a/0', '{}', 60_000), ({ kind }) => commits.push(`0 ${kind}`));
    await turn();
    propose(committer, change('a/1', '{}', 1_000), ({ kind }) => commits.push(`1 ${kind}`));
    propose(committer, change('a/2', '{}', 60_000), ({ kind }) => commits.push(`2 ${kind}`));
    ends[0]?.resolve();
    apply(committer, logged(batches[0]?.[0], 1));
    await turn();
    clock.advance(2_000);
    ends[1]?.reject(new AppendOutcomeUnknownError('no answer'));
    await turn();
    expect(commits).toEqual(['0 overtaken', '1 unknown']);
    clock.advance(100);
    await turn();
    expect(batches[2]).toEqual(batches[1]);
    ends[2]?.resolve();
    apply(committer, logged(batches[1]?.[1], 3));
    expect(commits).toEqual(['0 overtaken', '1 unknown', '2 overtaken']);
  });

  it('is counted as a failure of the writes that it had', async () => {
    const told: string[] = [];
    const written: WriteMeters['written'] = (resource, type, { isFailed }) =>
      told.push(`${resource} ${type} ${String(isFailed)}`);
    const { committer, batches, ends } = givenLog({ meters: { written } });
    propose(committer, change('a/1'), () => undefined);
    await turn();
    ends[0]?.reject(new LogUnavailableError('no broker is there'));
    await turn();
    propose(committer, change('a/2'), () => undefined);
    await turn();
    ends[1]?.resolve();
    apply(committer, logged(batches[1]?.[0], 1));
    expect(told).toEqual(['core/configmaps added true', 'core/configmaps added false']);
  });

  it('keeps only those waiting whose event may be there', async () => {
    const { committer, clock, batches, ends } = givenLog();
    const commits: string[] = [];
    propose(committer, change('a/1', '{}', 60_000), ({ kind }) => commits.push(`1 ${kind}`));
    await turn();
    ends[0]?.reject(new AppendOutcomeUnknownError('no answer'));
    propose(committer, change('a/2', '{}', 60_000), ({ kind }) => commits.push(`2 ${kind}`));
    await turn();
    clock.advance(100);
    await turn();
    ends[1]?.reject(new LogUnavailableError('no broker is there'));
    await turn();
    expect(commits).toEqual(['2 unavailable']);

    clock.advance(100);
    await turn();
    expect(batches[2]).toEqual(batches[0]);
    ends[2]?.resolve();
    apply(committer, logged(batches[0]?.[0], 3));
    expect(commits).toEqual(['2 unavailable', '1 overtaken']);
  });
});
