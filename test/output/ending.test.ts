/** The notes behind rows: how many there are, and how to get those that are not shown. */
import { expect, test } from 'vitest'
import { endingNotes } from '../../src/output/render.ts'
import type { Ending } from '../../src/output/result.ts'
import { options } from './printed.ts'

const ofTerminal = { width: 80 }
const all = 'Use --limit all for all of them.'

test.each<[Ending, Partial<typeof options>, string[]]>([
  [{ shown: 1200, total: 1200 }, ofTerminal, ['1,200 lists']],
  [{ shown: 0, total: 0 }, ofTerminal, []],
  [{ shown: 2, total: 2 }, {}, []],
  [{ shown: 2, total: 2 }, { ...ofTerminal, format: 'csv' }, []],
  [{ shown: 2, total: 5, notes: ['the last'] }, {}, [`Showing 2 of 5 lists. ${all}`, 'the last']],
])('%j, %j', (ending, more, notes) => {
  expect(endingNotes(ending, 'lists', { ...options, ...more })).toEqual(notes)
})
