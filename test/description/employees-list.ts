/** Operation 10. */
import type { DescribedCase, Variant } from './case.ts'

export const cases: readonly DescribedCase[] = [
  ['all of them', 'Operation 10', 'GET /v1/employees', { data: ['Employee'] }],
  ['with a read key', 'Operation 10, scope', 'GET /v1/employees', { data: ['Employee'] }, undefined, 'read'],
]

const alice = {
  id: '64a000000000000000000001',
  firstName: 'Alice',
  lastName: 'Adams',
  channels: ['64900000000000000000000a'],
  kind: 'human',
  position: 'Team lead',
  access: 'admin',
  status: 'active',
  createdAt: '2025-01-01T10:00:00.000Z',
}
const bot = { ...alice, id: '64a000000000000000000002', firstName: 'Bot', lastName: '', kind: 'ai', channels: [] }
const answer = (data: unknown) => ({ method: 'GET', path: '/v1/employees', status: 200, body: { data } }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter', open: 'nothing', answers: [answer([alice, bot])] },
  { name: 'nobody', open: 'nothing', answers: [answer([])] },
  {
    name: 'as many as are ever returned',
    open: 'nothing',
    answers: [
      answer(
        Array.from({ length: 1000 }, (_, n) => ({
          ...alice,
          id: n.toString(16).padStart(24, '0'),
          firstName: `Employee ${String(n).padStart(4, '0')}`,
        })),
      ),
    ],
  },
  {
    name: 'null and absent fields, a status and a kind that are not named',
    open: 'Allowed values: not shown; nothing is said of null',
    answers: [
      answer([{ id: alice.id, firstName: null, kind: 'robot', status: 'on-leave', channels: null, team: 'x' }]),
    ],
  },
]
