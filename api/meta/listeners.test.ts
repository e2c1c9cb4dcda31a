import { expect, it } from 'vitest';
import { Listeners, ListenerGroup } from './listeners.ts';

it('tells each until it is ended, one that was added twice twice', () => {
  const told: string[] = [];
  const listeners = new Listeners<string>();
  const note = (word: string): void => {
    told.push(word);
  };
  const endFirst = listeners.add(note);
  listeners.add(note);
  listeners.tell('a');
  endFirst();
  endFirst();
  listeners.tell('b');
  expect(told).toEqual(['a', 'a', 'b']);
});

it('tells one no more that another has ended meanwhile', () => {
  const told: string[] = [];
  const listeners = new Listeners();
  listeners.add(() => {
    endSecond();
  });
  const endSecond = listeners.add(() => {
    told.push('second');
  });
  listeners.tell();
  expect(told).toEqual([]);
});

it('ends together what was begun, and begins nothing behind its end', () => {
  const told: string[] = [];
  const [words, others] = [new Listeners<string>(), new Listeners<string>()];
  const group = new ListenerGroup();
  const note = (word: string): void => {
    told.push(word);
  };
  group.through<string>((listener) => words.add(listener))(note);
  group.through<string>((listener) => others.add(listener))(note);
  words.tell('a');
  others.tell('b');
  group.end();
  group.through<string>((listener) => words.add(listener))(note);
  words.tell('c');
  others.tell('d');
  expect(told).toEqual(['a', 'b']);
});
