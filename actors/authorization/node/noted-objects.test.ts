import { expect, it } from 'vitest';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { NotedObjects } from './noted-objects.ts';

const object = (path: string) => ({
  ...{ resource: 'core/pods', path },
  resourceVersion: resourceVersion(1),
  labels: undefined,
  json: Buffer.from('{}'),
});

function given() {
  const entered: string[] = [];
  const noted = new NotedObjects<string>({
    read: ({ path }) => path,
    enter: (path, by) => entered.push(`${by > 0 ? '+' : '-'}${path}`),
  });
  return { entered, noted };
}

it('holds nothing of what comes and goes while it is not asked for', () => {
  const { entered, noted } = given();
  noted.set(object('n/stays'));
  for (let pod = 0; pod < 1_000; pod += 1) {
    noted.set(object(`n/job-${String(pod)}`));
    noted.delete(`n/job-${String(pod)}`);
    noted.delete(`n/never-told-${String(pod)}`);
  }
  expect(noted.noted).toBe(1);
  noted.settle();
  expect(entered).toEqual(['+n/stays']);
});

it('takes back what it entered, also of what went while it was not asked for', () => {
  const { entered, noted } = given();
  noted.set(object('n/a'));
  noted.set(object('n/b'));
  noted.settle();
  noted.set(object('n/a'));
  noted.delete('n/b');
  noted.settle();
  noted.set(object('n/c'));
  noted.clear();
  noted.settle();
  expect(entered).toEqual(['+n/a', '+n/b', '-n/a', '+n/a', '-n/b', '-n/a']);
  expect(noted.noted).toBe(0);
});
