import { describe, expect, it } from 'vitest';
import { resourceVersion, type ResourceVersion } from '../streams/resource-version.ts';
import { AppliedVersion } from './fold/applied-version.ts';
import { ManualClock } from '../api/meta/manual-clock.fixture.ts';
import { OwnLogMoment, ReportedEndMoment, SharedEndMoment } from './read-moment.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function given() {
  const clock = new ManualClock();
  const applied = new AppliedVersion(clock);
  const asked: ((end: number | undefined) => void)[] = [];
  const log = {
    newest: () =>
      new Promise<ResourceVersion>((resolve, reject) => {
        asked.push((end) => {
          if (end === undefined) reject(new Error('no answer'));
          else resolve(resourceVersion(end));
        });
      }),
  };
  return { clock, applied, asked, moment: new ReportedEndMoment(log, applied) };
}

describe('now', () => {
  it('of a log of our own is what is applied', () => {
    const { applied } = given();
    applied.moveTo(resourceVersion(5));
    expect(new OwnLogMoment(applied).newest()).toBe(5);
  });

  it('of a log that processes share is its end, at once where that is applied', async () => {
    const { applied, clock } = given();
    applied.moveTo(resourceVersion(5));
    let end = resourceVersion(5);
    const moment = new SharedEndMoment(() => end, applied);
    expect(moment.newest()).toBe(5);
    // Another process has appended, and this one has not heard of it.
    end = resourceVersion(7);
    const told: unknown[] = [];
    void Promise.resolve(moment.newest()).then((version) => told.push(version));
    applied.moveTo(resourceVersion(6));
    await turn();
    expect(told).toEqual([]);
    applied.moveTo(resourceVersion(8));
    await turn();
    expect(told).toEqual([8]);
    end = resourceVersion(9);
    const never = moment.newest();
    clock.advance(10_000);
    expect(await never).toBeUndefined();
  });

  it('is unknown where the log that processes share cannot be read any more', () => {
    const { applied } = given();
    const fails = (): never => {
      throw new Error('closed');
    };
    expect(new SharedEndMoment(fails, applied).newest()).toBeUndefined();
  });

  it('as the log reports it is told when it is applied', async () => {
    const { applied, asked, moment } = given();
    const told: unknown[] = [];
    void moment.newest().then((version) => told.push(version));
    asked[0]?.(7);
    await turn();
    expect(told).toEqual([]);
    applied.moveTo(resourceVersion(8));
    await turn();
    expect(told).toEqual([8]);
  });

  it('is asked after the question came, once for all that wait', async () => {
    const { applied, asked, moment } = given();
    applied.moveTo(resourceVersion(20));
    const told: string[] = [];
    void moment.newest().then(() => told.push('first'));
    void moment.newest().then(() => told.push('second'));
    void moment.newest().then(() => told.push('third'));
    expect(asked).toHaveLength(1);
    asked[0]?.(7);
    await turn();
    // The first question was under way before the other two came: its answer is not theirs.
    expect(told).toEqual(['first']);
    expect(asked).toHaveLength(2);
    asked[1]?.(8);
    await turn();
    expect(told).toEqual(['first', 'second', 'third']);
  });

  it('is unknown when the log does not answer, or what it has does not come', async () => {
    const { clock, asked, moment } = given();
    const told: unknown[] = [];
    void moment.newest().then((version) => told.push(version));
    asked[0]?.(undefined);
    await turn();
    expect(told).toEqual([undefined]);
    void moment.newest().then((version) => told.push(version));
    asked[1]?.(9);
    await turn();
    clock.advance(20_000);
    await turn();
    expect(told).toEqual([undefined, undefined]);
  });
});
