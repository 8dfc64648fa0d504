/** Widths of columns on a terminal: important columns first, ids whole, and a long cell costs the others nothing. */
import { expect, test } from 'vitest'
import type { Employee, TicketMessage } from '../../../src/api/schemas.ts'
import { rows } from '../../../src/output/result.ts'
import { terminalCells } from '../../../src/output/text.ts'
import { verb as employeeVerb } from '../../../src/commands/employees/list.ts'
import { verb as historyVerb } from '../../../src/commands/tickets/history.ts'
import type { Verb } from '../../../src/cli/verb.ts'
import type { Shown } from '../../../src/output/render.ts'
import { printed } from '../../support/printed.ts'

/** How a verb shows its rows. */
const shownBy = <T>({ columns }: Verb) => ({ columns }) as Shown<T>

const employees = Array.from({ length: 12 }, (_, index): Employee => ({
  id: `64b0000000000000000000${10 + index}`,
  firstName: index === 3 ? 'A name that is much longer than any other one' : 'Alice',
  lastName: index === 4 ? '客户名单' : 'Adams',
  kind: 'human',
  position: 'Support agent',
  access: 'viewer',
  status: 'inactive',
}))

test('at every width ids are whole; wide columns go before a text is cut; a table of 80 columns fits', async () => {
  for (let width = 1; width <= 250; width += width < 90 ? 1 : 7) {
    const { stdout } = await printed(rows(employees), shownBy<Employee>(employeeVerb), { width })
    expect(stdout.match(/64b0{19}\d\d/g)).toHaveLength(12)
    expect(stdout.includes('…') && stdout.includes('ACCESS')).toBe(false)
    expect(stdout.split('\n')).toHaveLength(14)
    const widest = Math.max(...stdout.split('\n').map(terminalCells))
    expect(widest <= Math.max(72, width)).toBe(true)
  }
})

test('the lines of a message stay one row, and the end of a line is seen; off a terminal it is exact', async () => {
  const messages: TicketMessage[] = [
    { id: '1', direction: 'incoming', fromId: '1', text: 'one\r\ntwo\nthree\rfour' },
  ]
  const shown = shownBy<TicketMessage>(historyVerb)
  const narrow = await printed(rows(messages), shown, { width: 100 })
  expect(narrow.stdout.split('\n')[1]).toContain('one ↵ two ↵ three\\u{d}four')
  expect(narrow.stdout.split('\n')).toHaveLength(3)
  const whole = await printed(rows(messages), shown)
  expect(whole.stdout).toContain('one\\u{d}\\u{a}two\\u{a}three\\u{d}four')
})
