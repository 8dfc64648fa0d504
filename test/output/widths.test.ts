/** Widths of columns on a terminal: important columns first, ids whole, and a long cell costs the others nothing. */
import { expect, test } from 'vitest'
import type { ContactList, Employee, TicketMessage } from '../../src/api/schemas.ts'
import { rows } from '../../src/output/result.ts'
import { terminalCells } from '../../src/output/text.ts'
import { verb as employeeVerb } from '../../src/commands/employees/list.ts'
import { verb as listVerb } from '../../src/commands/lists/list.ts'
import { verb as historyVerb } from '../../src/commands/tickets/history.ts'
import type { Verb } from '../../src/cli/verb.ts'
import type { Shown } from '../../src/output/render.ts'
import { printed } from './printed.ts'

/** How a verb shows its rows. */
const shownBy = <T>({ columns }: Verb) => ({ columns }) as Shown<T>

const id = (n: number): string => `64b0000000000000000000${String(n).padStart(2, '0')}`

const employees = Array.from({ length: 12 }, (_, index): Employee => ({
  ...{
    id: id(index),
    lastName: 'Adams',
    kind: 'human',
    position: 'Support agent',
    access: 'viewer',
    status: 'inactive',
  },
  firstName: index === 3 ? 'A name that is much longer than any other one' : 'Alice',
  channels: Array.from({ length: index % 5 }, (_unused, channel) => id(50 + channel)),
  createdAt: '2026-01-01T00:00:00.000Z',
}))
const lists = ['everybody who has bought something for more than a thousand since March', null].map(
  (description, n): ContactList => ({
    ...{
      id: id(n),
      name: n === 0 ? 'VIP' : '客户名单',
      description,
      contactsCount: 1234,
      createdAt: 'soon',
    },
    updatedAt: '2026-03-01T09:15:00.000Z',
  }),
)

test('no width cuts an id, a state, or shows less of a name than a dozen cells; at one cell it does not fail', async () => {
  for (let width = 40; width <= 250; width += width < 90 ? 1 : 7) {
    const all = [
      await printed(rows(employees), shownBy<Employee>(employeeVerb), { width }),
      await printed(rows(lists), shownBy<ContactList>(listVerb), { width }),
    ]
    const text = all.map(({ stdout }) => stdout).join('')
    // Where a table does not fit, a value can be wider than the terminal, which wraps it.
    const tables = all.filter(({ stdout }) => /^ID +NAME/.test(stdout))
    const lines = tables.flatMap(({ stdout }) => stdout.split('\n'))
    for (const line of lines) expect(terminalCells(line)).toBeLessThanOrEqual(width)
    expect(text.match(/64b0{19}\d\d/g)?.length).toBeGreaterThanOrEqual(14)
    expect(text).not.toMatch(/64b0+…/)
    expect(text.match(/inactive/g)).toHaveLength(12)
    expect(text.match(/Alice Adams/g)).toHaveLength(11)
  }
  for (const width of [1, 2, 10, 39])
    expect(
      (await printed(rows(lists), shownBy<ContactList>(listVerb), { width })).stdout.split('\n')
        .length,
    ).toBeGreaterThan(3)
})

test('the lines of a message stay one row, and the end of a line is seen; off a terminal it is exact', async () => {
  const messages: TicketMessage[] = [
    { id: '1', direction: 'incoming', fromId: '1', text: 'one\r\ntwo\nthree\rfour' },
  ]
  const narrow = await printed(rows(messages), shownBy<TicketMessage>(historyVerb), { width: 100 })
  expect(narrow.stdout.split('\n')[1]).toContain('one ↵ two ↵ three\\u{d}four')
  expect(narrow.stdout.split('\n')).toHaveLength(3)
  const whole = await printed(rows(messages), shownBy<TicketMessage>(historyVerb))
  expect(whole.stdout).toContain('one\\u{d}\\u{a}two\\u{a}three\\u{d}four')
})
