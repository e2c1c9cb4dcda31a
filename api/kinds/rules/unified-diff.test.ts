import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

describe('the difference of two texts', () => {
  it('is nothing when they are the same', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).toBe('');
  });

  it('shows three lines on both sides of what changed', () => {
    const [old, now] = ['1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\nfive\n6\n7\n8\n9'];
    expect(unifiedDiff(old, now)).toBe('@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n');
  });

  it('has a group for each place', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index)}`);
    const now = lines.map((line, index) => (index === 2 || index === 17 ? 'new' : line));
    const diff = unifiedDiff(lines.join('\n'), now.join('\n'));
    expect(diff.match(/^@@.*@@$/gm)).toEqual(['@@ -1,6 +1,6 @@', '@@ -15,6 +15,6 @@']);
  });

  it('is left out of texts too long to compare', () => {
    expect(unifiedDiff('a\n'.repeat(5000), 'b\n'.repeat(5000))).toBe('');
  });
});
