import { expect, test } from 'vitest'
import { truncate } from '../../../src/output/text.ts'

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
