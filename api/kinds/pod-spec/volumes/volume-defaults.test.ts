/** Which tag an image's name says or implies. */
import { describe, expect, it } from 'vitest';
import { imageTag } from './volume-defaults.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('the tag of an image', () => {
  it.each([
    ['nginx', 'latest'],
    ['nginx:1.27', '1.27'],
    ['docker.io/nginx:latest', 'latest'],
    ['registry.example.com:5000/team/app', 'latest'],
    ['registry.example.com:5000/team/app:v1', 'v1'],
    ['localhost/app:x', 'x'],
    [`nginx@${DIGEST}`, ''],
    [`nginx:1@${DIGEST}`, '1'],
  ])('of %s is %j', (image, tag) => {
    expect(imageTag(image)).toBe(tag);
  });

  it.each(['', ':', 'a b', '/nginx', 'nginx/', 'Team/App', 'nginx:', `x@sha256:0`, 'a'.repeat(64)])(
    'is empty for %j, which is no image',
    (image) => {
      expect(imageTag(image)).toBe('');
    },
  );

  it('is found in time that grows no faster than the name', () => {
    const names = ['a'.repeat(1e6), '-'.repeat(1e6), 'a-'.repeat(5e5), `${'a.'.repeat(5e5)}!/b`];
    expect(names.map(imageTag)).toEqual(['', '', '', '']);
  });
});
