import { expect, it } from 'vitest';
import { headerValues } from './header-values.ts';

it('gives each value as it was sent, commas and all', () => {
  const rawHeaders = ['Impersonate-Group', 'a, b', 'Host', 'x', 'impersonate-group', 'c'];
  const headers = { 'impersonate-group': 'a, b, c', host: 'x' };
  expect(headerValues({ headers, rawHeaders }, 'impersonate-group')).toEqual(['a, b', 'c']);
  expect(headerValues({ headers, rawHeaders }, 'impersonate-uid')).toEqual([]);
});

it('gives nothing of a header that was forgotten', () => {
  const rawHeaders = ['Impersonate-Group', 'a'];
  const headers = { 'impersonate-group': undefined };
  expect(headerValues({ headers, rawHeaders }, 'impersonate-group')).toEqual([]);
});

it('reads UTF-8', () => {
  const sent = Buffer.from('jürgen').toString('latin1');
  const headers = { 'impersonate-user': sent };
  const request = { headers, rawHeaders: ['Impersonate-User', sent] };
  expect(headerValues(request, 'impersonate-user')).toEqual(['jürgen']);
});
