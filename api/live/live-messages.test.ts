import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CLIENT_MESSAGES, liveSchemaDocument, SUBSCRIBE } from './live-messages.ts';
import { problemOf } from './message-schema.ts';

const DOCUMENT = new URL('../../docs/live.schema.json', import.meta.url);

it('the schema in docs is the one that the server checks by', () => {
  const text = `${JSON.stringify(liveSchemaDocument(), undefined, 2)}\n`;
  if (process.env['EVERWATCH_RECORD'] === '1') writeFileSync(DOCUMENT, text);
  expect(JSON.parse(readFileSync(DOCUMENT, 'utf8'))).toEqual(JSON.parse(text));
});

it.each([
  [{ type: 'subscribe', id: 's0', path: '/api/v1/pods', query: 'labelSelector=a%3Db', from: '1' }],
  [
    {
      type: 'subscribe',
      id: '',
      path: '/api/v1/pods',
      columns: ['Name', { name: 'Node', jsonPath: '.spec.nodeName' }],
      window: { offset: 0, limit: 50, sort: [{ column: 'Name', descending: true }] },
    },
  ],
])('a message as docs/live.md has it is let in: %j', (message) => {
  expect(problemOf(SUBSCRIBE, message)).toBeUndefined();
});

it.each([
  [{ type: 'subscribe', path: '/' }, 'id must be given'],
  [{ type: 'subscribe', id: 7, path: '/' }, 'id must be a string'],
  [{ type: 'subscribe', id: 'a', path: '/', form: '1' }, 'form is not known'],
  [{ type: 'subscribe', id: 'a', path: '/', rate: 1.5 }, 'rate must be a whole number'],
  [{ type: 'subscribe', id: 'a', path: '/', rate: 1 }, 'rate must be at least 20'],
  [
    { type: 'subscribe', id: 'a', path: '/', columns: [7] },
    'columns[0] has none of the forms that are allowed there',
  ],
  [{ type: 'subscribe', id: 'a', path: '/', window: { offset: 0 } }, 'window.limit must be given'],
  [
    { type: 'subscribe', id: 'a', path: '/', window: { offset: 0, limit: 10_001 } },
    'window.limit must be at most 10000',
  ],
  [[], 'the message must be an object'],
  [JSON.parse('{"type":"subscribe","id":"a","path":"/","__proto__":1}'), '__proto__ is not known'],
  [
    JSON.parse('{"type":"subscribe","id":"a","path":"/","constructor":1}'),
    'constructor is not known',
  ],
])('what is wrong with a message is told by name: %j', (message: unknown, problem) => {
  expect(problemOf(SUBSCRIBE, message)).toBe(problem);
});

it('each message of a client is named by its type', () => {
  for (const [name, { properties }] of Object.entries(CLIENT_MESSAGES)) {
    expect(properties.type.const).toBe(name);
  }
});
