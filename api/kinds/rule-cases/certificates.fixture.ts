/** What comes of writes of certificate signing requests. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { csr } from './written-objects.fixture.ts';

export const certificatesCases: readonly RuleCase[] = [
  {
    when: 'the requester is claimed by the client',
    do: 'create',
    object: csr({
      spec: { ...csr().spec, username: 'admin', groups: ['system:masters'] },
      status: { certificate: 'AA==' },
    }),
    errors: [],
    shows: { 'spec.username': null, 'spec.groups': null, status: {} },
  },
  {
    when: 'a request is approved',
    do: 'approval',
    old: csr({ spec: { ...csr().spec, username: 'bob' } }),
    object: csr({
      status: { certificate: 'AA==', conditions: [{ type: 'Approved', status: 'True' }] },
    }),
    errors: [],
    shows: {
      'spec.username': 'bob',
      status: {
        conditions: [
          {
            type: 'Approved',
            status: 'True',
            lastUpdateTime: '2026-11-21T09:00:00Z',
            lastTransitionTime: '2026-11-21T09:00:00Z',
          },
        ],
      },
    },
  },
  {
    when: 'a request is approved the wrong way',
    do: 'status',
    old: csr(),
    object: csr({ status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
    errors: ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  },
  {
    when: 'a request is approved and denied',
    do: 'approval',
    old: csr(),
    object: csr({
      status: {
        conditions: [
          { type: 'Approved', status: 'True' },
          { type: 'Denied', status: 'False' },
        ],
      },
    }),
    errors: [
      'status.conditions[1].status: Unsupported value: "False": supported values: "True"',
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ],
  },
  {
    when: 'an approval is taken back',
    do: 'approval',
    old: csr({
      status: {
        conditions: [
          {
            type: 'Approved',
            status: 'True',
            lastUpdateTime: '2020-01-01T00:00:00Z',
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
        ],
      },
    }),
    object: csr(),
    errors: ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
  },
  {
    when: 'an update changes a request',
    do: 'update',
    old: csr({ spec: { ...csr().spec, username: 'bob' } }),
    object: csr({ spec: {}, status: { certificate: 'AA==' } }),
    errors: [],
    shows: { 'spec.username': 'bob', status: {} },
  },
];
