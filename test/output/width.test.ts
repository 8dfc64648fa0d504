import { expect, test } from 'vitest'
import { terminalCells, truncate } from '../../src/output/text/width.ts'
import { wrap as wrapMessage } from '../../src/output/stderr.ts'

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['abcdef', 1, '…'],
  ['abcdef', 0, '…'],
  ['客户名单', 7, '客户名…'],
  ['客户名单', 6, '客户…'],
  ['👩‍👩‍👧x y', 3, '👩‍👩‍👧…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%j truncated to %d is %j', (text, width, cut) => {
  expect(truncate(text, width)).toBe(cut)
})

test('a row of a message that fits is not broken for an ellipsis or an accent of its own', () => {
  const row = `  ${'x'.repeat(30)}… ${'e\u0301'.repeat(20)}  Newsletter; Campai…`
  const width = terminalCells(row)
  expect(wrapMessage(row, width)).toBe(row)
  expect(wrapMessage(row, width - 1)).toContain('\n')
  expect(wrapMessage('  李四 李四', 9)).toContain('\n')
})
