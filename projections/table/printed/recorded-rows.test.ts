/** Rows of built-in kinds, compared with those that kube-apiserver printed. */
import { expect, it } from 'vitest';
import { ourRows, recordedRows, rowQuestions } from './recorded-rows.fixture.ts';

it.each(rowQuestions().map((questions, at) => ({ ...questions, at })))(
  'rows of $name are those of kube-apiserver',
  ({ at, ...questions }) => {
    const rows = ourRows(questions);
    const differing = recordedRows.differing(at, rows);
    expect(
      differing.map((place) => ({ row: rows[place], object: questions.objects[place] })),
    ).toEqual([]);
  },
);
