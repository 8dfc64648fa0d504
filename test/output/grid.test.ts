/** Tables of many rows and long cells, at every width: ids whole, important columns first. What commands show is in the transcripts. */
import { expect, test } from 'vitest'
import type { Employee, TicketMessage } from '../../src/api/schemas.ts'
import type { Verb } from '../../src/cli/verb.ts'
import { verb as employeeVerb } from '../../src/commands/employees/list.ts'
import { verb as historyVerb } from '../../src/commands/tickets/history.ts'
import type { RowFormat } from '../../src/output/render.ts'
import { id, namedColumns, one, rows, text, type PrintOptions } from '../../src/output/result.ts'
import { terminalCells } from '../../src/output/terminal-text.ts'
import { printed } from '../support/printed.ts'

const narrowView = { columns: { ID: id('id'), TEXT: text('text'), END: text('end') } }

test('all rows have the same widths, however many there are', async () => {
  const data = Array.from({ length: 501 }, (_, index) => ({
    id: `${index}`,
    text: index === 500 ? 'a longer text than all others' : 'x',
    end: 'e',
  }))
  const lastOf = async (more: Partial<PrintOptions>): Promise<string[]> =>
    (await printed(rows(data), narrowView, more)).stdout.split('\n').slice(-3)
  const blanks = ' '.repeat(28)
  expect(await lastOf({})).toEqual([
    `499  x${blanks}  e`,
    '500  a longer text than all others  e',
    '',
  ])
  expect(await lastOf({ width: 26 })).toEqual([
    '499  x                 e',
    '500  a longer text t…  e',
    '',
  ])
})

test('off a terminal a very long cell is whole, and moves the rest of its row alone', async () => {
  const text = 'a very long text '.repeat(20)
  const data = ['x', text, 'y'].map((each, index) => ({ id: `${index}`, text: each, end: 'e' }))
  const { stdout } = await printed(rows(data), narrowView)
  const [title = '', before = '', long, after] = stdout.split('\n')
  expect(title.indexOf('END')).toBe(before.indexOf('e'))
  expect(long).toBe(`1   ${text}  e`)
  expect(after?.indexOf('e')).toBe(before.indexOf('e'))
})

test('a very long text is whole where no other text of its column is short', async () => {
  const text = 'a very long text '.repeat(13).trim()
  const { stdout } = await printed(one({ text }), narrowView, {
    columns: namedColumns(narrowView.columns, ['text']),
  })
  expect(stdout).toBe(`TEXT  ${text}\n`)
})

test('a text is not cut below its heading, so a table that can fit does', async () => {
  const columns = { DESCRIPTION: text('text'), NAME: text('text') }
  const { stdout } = await printed(rows([{ text: 'x'.repeat(20) }]), { columns }, { width: 21 })
  expect(stdout).toBe('DESCRIPTION  NAME\nxxxxxxxxxx…  xxxxxxx…\n')
})

/** How a verb shows its rows. */
const shownBy = <T>({ columns }: Verb) => ({ columns }) as RowFormat<T>

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
  for (let width = 1; width <= 250; width += width < 90 ? 3 : 20) {
    const { stdout, notes } = await printed(rows(employees), shownBy<Employee>(employeeVerb), {
      width,
    })
    expect(stdout.match(/64b0{19}\d\d/g)).toHaveLength(12)
    expect(stdout.includes('…') && stdout.includes('ACCESS')).toBe(false)
    const leftOut = ['ACCESS', 'CHANNELS'].filter((heading) => !stdout.includes(heading))
    const note = `not shown: ${leftOut.join(', ')}; --fields, or a wider terminal`
    expect(notes).toEqual(leftOut.length === 0 ? [] : [note])
    expect(stdout.split('\n')).toHaveLength(14)
    const widest = Math.max(...stdout.split('\n').map(terminalCells))
    expect(widest <= Math.max(72, width)).toBe(true)
  }
})

test('the lines of a message stay one row, and the end of a line is seen', async () => {
  const messages: TicketMessage[] = [
    { id: '1', direction: 'incoming', fromId: '1', text: 'one\r\ntwo\nthree\rfour' },
  ]
  const shown = shownBy<TicketMessage>(historyVerb)
  const narrow = await printed(rows(messages), shown, { width: 100 })
  expect(narrow.stdout.split('\n')[1]).toContain('one ↵ two ↵ three\\u{d}four')
  expect(narrow.stdout.split('\n')).toHaveLength(3)
})
