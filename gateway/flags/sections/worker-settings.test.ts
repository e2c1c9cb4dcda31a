import { expect, it } from 'vitest';
import { parsed, problem } from '../given-flags.fixture.ts';

it('is one process where nothing is said', () => {
  expect(parsed([]).workers).toBe(1);
  expect(parsed(['--workers=2']).workers).toBe(2);
  expect(parsed(['--workers=1', '--allow-reset', '--log=kafka://a:9092/t']).workers).toBe(1);
});

it.each([
  [['--workers=0'], '--workers: must be between 1 and 64, not 0'],
  [['--workers=65'], '--workers: must be between 1 and 64, not 65'],
  [['--workers=2', '--log=kafka://a:9092/t'], 'start several servers on the topic'],
  [['--workers=2', '--encryption-provider-config=e'], 'only a server of one process encrypts'],
  [['--workers=2', '--allow-reset'], '--workers 2: only a server of one process is reset'],
])('%j is refused', (argv, why) => {
  expect(problem(argv)).toContain(why);
});
