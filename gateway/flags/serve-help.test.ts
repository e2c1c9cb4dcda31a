import { describe, expect, it } from 'vitest';
import { serveCommand } from './flags.ts';
import { headingOf } from './serve-help.ts';
import { SERVE_SETTINGS } from './serve-settings.ts';

describe('the help of serve', () => {
  it('has a heading for every flag', () => {
    const flags = SERVE_SETTINGS.map(({ flag }) => flag);
    expect(flags.filter((flag) => headingOf(flag) === 'More')).toEqual([]);
  });

  it('begins with what is needed first, and stays within the usual width', () => {
    const lines = serveCommand().helpInformation().split('\n');
    const headings = lines.filter((line) => /^\S.*:$/.test(line));
    expect(headings.slice(0, 3)).toEqual(['Begin here:', 'Connections:', 'Authentication:']);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('says beneath a flag what it is for', () => {
    expect(serveCommand().helpInformation()).toContain(
      '  --secure-port <PORT>\n        the port to serve HTTPS on; 0 takes any free one',
    );
  });
});
