/** The counter that shows the reads of a command. */
import { expect, test } from 'vitest'
import { Reads } from '../../src/api/reads.ts'

test('rows are counted by what they are, while any of them are read', () => {
  const told: string[] = []
  let text = (): string => ''
  const reads = new Reads((words) => {
    text = words
    return { start: () => told.push('start'), stop: () => told.push('stop') }
  })
  for (const what of ['lists', 'members', 'members']) reads.begin(what)
  reads.count('lists', 12)
  reads.count('members', 3_000)
  reads.count('members', 600)
  expect(text()).toBe('12 lists, 3,600 members…')
  reads.end()
  reads.end()
  expect(told).toEqual(['start'])
  reads.end()
  reads.begin('messages')
  reads.count('messages', 1)
  expect(told).toEqual(['start', 'stop', 'start'])
  expect(text()).toBe('12 lists, 3,600 members, 1 messages…')
})
