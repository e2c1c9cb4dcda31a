import { expect, it } from 'vitest';
import { figuresOfAll } from './figures-of-all.ts';

const ONE = `# HELP a_total Things.
# TYPE a_total counter
a_total 1
# HELP b Others # HELP not.
# TYPE b gauge
b{x="1 {2}"} 3
b{} 4 1700000000000
`;
const OTHER = `# HELP c Only here.
# TYPE c gauge
c 5
# HELP a_total Things.
# TYPE a_total counter
a_total 2
`;

it('keeps each family together, and says of each sample whose it is', () => {
  expect(
    figuresOfAll([
      [1, ONE],
      [3, OTHER],
    ]),
  ).toBe(`# HELP a_total Things.
# TYPE a_total counter
a_total{worker="1"} 1
a_total{worker="3"} 2
# HELP b Others # HELP not.
# TYPE b gauge
b{worker="1",x="1 {2}"} 3
b{worker="1"} 4 1700000000000
# HELP c Only here.
# TYPE c gauge
c{worker="3"} 5
`);
});

it('shows nothing of none', () => {
  expect(figuresOfAll([])).toBe('');
});
