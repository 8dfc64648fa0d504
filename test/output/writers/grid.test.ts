/** Tables of many rows and long cells. What commands show is in the transcripts. */
import { expect, test } from 'vitest'
import { id, rows, text, type PrintOptions } from '../../../src/output/result.ts'
import { printed } from '../../support/printed.ts'

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
