import { describe, expect, it } from 'vitest';
import { APPEND_EVENTS_MAX } from '../../../streams/event-log.ts';
import type { Verdict } from '../../../projections/fold/arbiter.ts';
import { together, type Change } from './change.ts';
import type { Commit, Committer } from './committer.ts';
import { change, givenLog, logged, propose, turn } from './given-committer.fixture.ts';

function pair(name: string, others = 1): Change {
  const companions = Array.from({ length: others }, (_, one) => change(`${name}/${String(one)}`));
  return together(change(`${name}/first`), companions);
}

function folded(committer: Committer, event: ReturnType<typeof logged>, verdict: Verdict): void {
  committer.folded(event, verdict, undefined);
}

describe('changes that are made together', () => {
  it('stand in one append, one behind the other', async () => {
    const { committer, batches } = givenLog();
    propose(committer, pair('a', 2), () => undefined);
    propose(committer, change('b/1'), () => undefined);
    await turn();
    expect(batches.map((batch) => batch.map(({ path }) => path))).toEqual([
      ['a/first', 'a/0', 'a/1', 'b/1'],
    ]);
    const [, first, second] = batches[0] ?? [];
    expect(first?.requires.at(-1)).toMatchObject({ path: 'a/first', resourceVersion: -1 });
    expect(second?.requires.at(-1)).toMatchObject({ path: 'a/first', resourceVersion: -2 });
  });

  it('are never in two appends', async () => {
    const { committer, batches, ends } = givenLog();
    for (let one = 0; one < APPEND_EVENTS_MAX - 1; one += 1) {
      propose(committer, change(`x/${String(one)}`), () => undefined);
    }
    propose(committer, pair('a', 2), () => undefined);
    await turn();
    ends[0]?.resolve();
    await turn();
    expect(batches.map(({ length }) => length)).toEqual([APPEND_EVENTS_MAX - 1, 3]);
  });

  it('are answered when the last of them is folded, with what became of the first', async () => {
    const { committer, batches } = givenLog();
    const commits: Commit[] = [];
    propose(committer, pair('a'), (commit) => commits.push(commit));
    await turn();
    const [first, second] = [batches[0]?.[0], batches[0]?.[1]];
    folded(committer, logged(first, 1), 'overtaken');
    expect(commits).toEqual([]);
    folded(committer, logged(second, 2), 'overtaken');
    expect(commits).toEqual([{ kind: 'overtaken' }]);
  });

  it('are refused where one append cannot take them all', async () => {
    const { committer, batches } = givenLog();
    const commits: Commit[] = [];
    propose(committer, pair('a', APPEND_EVENTS_MAX), (commit) => commits.push(commit));
    await turn();
    expect([commits[0]?.kind, batches]).toEqual(['refused', []]);
  });
});
